"""Evaluates the policy as LIBERO evaluates learned ones: its environment, its pictures, its actions, its own check.

MUJOCO_GL=osmesa python docs/examples/evaluate_policy.py libero_goal --tasks 0 --episodes 1
MUJOCO_GL=osmesa python docs/examples/evaluate_policy.py libero_goal --server ws://127.0.0.1:8000
MUJOCO_GL=osmesa python docs/examples/evaluate_policy.py libero_goal --server ws://127.0.0.1:8000 --client openpi
"""

import argparse
import os

os.environ.setdefault("MUJOCO_GL", "osmesa")
os.environ.setdefault("PYOPENGL_PLATFORM", os.environ["MUJOCO_GL"])

import numpy as np
from libero.libero import benchmark, get_libero_path
from libero.libero.envs import OffScreenRenderEnv

from tamp.backends.libero.cameras import calibration

SETTLING = 10
LIMITS = {"libero_spatial": 220, "libero_object": 280, "libero_goal": 300, "libero_10": 520, "libero_90": 400}


class OpenpiPolicy:
    """The policy of a server through openpi's own client, whose `reset` sends nothing."""

    def __init__(self, server):
        from openpi_client.websocket_client_policy import WebsocketClientPolicy

        self.client = WebsocketClientPolicy(server)

    def reset(self, instruction, calibration):
        self.client.infer({"reset": {"instruction": instruction, "calibration": calibration.as_dict()}})

    def act(self, obs):
        sent = {k: v for k, v in obs.items() if k.startswith(("robot0_", "agentview_"))}
        return self.client.infer(sent)["actions"][0]

    def end(self):
        return self.client.infer({"end": True})["outcome"]


def episode(env, policy, instruction, init_state, steps):
    """One episode; whether LIBERO says that it succeeded."""
    env.reset()
    obs = env.set_init_state(init_state)
    for _ in range(SETTLING):
        obs, _, _, _ = env.step([0.0] * 6 + [-1.0])
    policy.reset(instruction, calibration(env))
    for _ in range(steps):
        obs, _, done, _ = env.step(policy.act(obs).tolist())
        if done:
            return True
    return False


def evaluate(policy, suite, tasks, episodes, first, size):
    """Success rates, a line a task."""
    bench = benchmark.get_benchmark_dict()[suite]()
    rates = []
    for number in tasks or range(bench.n_tasks):
        task = bench.get_task(number)
        bddl = os.path.join(get_libero_path("bddl_files"), task.problem_folder, task.bddl_file)
        env = OffScreenRenderEnv(
            bddl_file_name=bddl, camera_heights=size, camera_widths=size, camera_depths=True, horizon=1000
        )
        env.seed(0)
        states = bench.get_task_init_states(number)[first : first + episodes]
        won = [episode(env, policy, task.language, state, LIMITS.get(suite, 400)) for state in states]
        env.close()
        rates.append(np.mean(won))
        print(f"{suite}/{number} {task.language!r}: {sum(won)} of {len(won)}; the last: {policy.end()}")
    print(f"{suite}: {100 * np.mean(rates):.1f} %")


def main():
    """Read the options, and evaluate."""
    parser = argparse.ArgumentParser()
    parser.add_argument("suite")
    parser.add_argument("--tasks", type=int, nargs="*")
    parser.add_argument("--episodes", type=int, default=10)
    parser.add_argument("--first", type=int, default=0, help="the first stored initial state")
    parser.add_argument("--size", type=int, default=256)
    parser.add_argument("--server", help="ws://HOST:PORT of `tamp policy serve`; else the policy is in this process")
    parser.add_argument("--client", choices=("tamp", "openpi"), default="tamp", help="what talks to the server")
    asked = parser.parse_args()
    how = (asked.suite, asked.tasks, asked.episodes, asked.first, asked.size)
    if asked.server is None:
        from tamp import camera_policy

        evaluate(camera_policy(), *how)
        return
    if asked.client == "openpi":
        evaluate(OpenpiPolicy(asked.server), *how)
        return
    from tamp.runs.policy.remote import RemotePolicy
    from tamp.runs.policy.server import connected

    with connected(asked.server) as (channel, _):
        evaluate(RemotePolicy(channel), *how)


if __name__ == "__main__":
    main()
