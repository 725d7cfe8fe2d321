"""`tamp policy serve` as a policy of lerobot's own evaluation of LIBERO: a plug-in of lerobot 0.4.

PYTHONPATH=docs/examples lerobot-eval --policy.discover_packages_path=lerobot_tamp --policy.type=tamp \
    --policy.server=ws://127.0.0.1:8123 --env.type=libero --env.task=libero_goal --eval.batch_size=1 --eval.n_episodes=1
"""

from contextlib import ExitStack
from dataclasses import dataclass

import torch
from lerobot.configs.policies import PreTrainedConfig
from lerobot.policies.pretrained import PreTrainedPolicy
from lerobot.processor import PolicyProcessorPipeline
from lerobot.processor.converters import policy_action_to_transition, transition_to_policy_action
from libero.libero import envs

from tamp.backends.libero.cameras import calibration
from tamp.runs.policy.remote import RemotePolicy
from tamp.runs.policy.server import connected

PICTURES = {"agentview_image": "observation.images.image", "robot0_eye_in_hand_image": "observation.images.image2"}


class DepthEnv(envs.OffScreenRenderEnv):
    """LIBERO's environment with depth cameras. What lerobot hands to a policy has neither depth nor joints; `latest`
    has both, and the environment that they are of."""

    latest = None

    def __init__(self, **options):
        super().__init__(**options, camera_depths=True)

    def step(self, action):
        stepped = super().step(action)
        DepthEnv.latest = self, stepped[0]
        return stepped


envs.OffScreenRenderEnv = DepthEnv  # lerobot imports it when it makes its environments, which is later


@PreTrainedConfig.register_subclass("tamp")
@dataclass
class TampConfig(PreTrainedConfig):
    server: str = "ws://127.0.0.1:8000"

    observation_delta_indices = action_delta_indices = reward_delta_indices = None

    def get_optimizer_preset(self):
        raise NotImplementedError("it learns nothing")

    get_scheduler_preset = get_optimizer_preset

    def validate_features(self):
        pass


class TampPolicy(PreTrainedPolicy):
    config_class, name = TampConfig, "tamp"

    def __init__(self, config, **_):
        super().__init__(config)
        self._connection, self._begun = ExitStack(), False
        self._policy = RemotePolicy(self._connection.enter_context(connected(config.server))[0])

    def reset(self):
        self._begun = False

    def select_action(self, batch, **_):
        env, observed = DepthEnv.latest
        sent = {k: v for k, v in observed.items() if k.startswith(("robot0_", "agentview_"))}
        for name, key in PICTURES.items():  # as lerobot has them: from 0 to 1, and turned by half a turn
            (picture,) = batch[key]  # of one environment: the server has one client
            sent[name] = (255 * picture).round().byte().permute(1, 2, 0).flip(0, 1).cpu().numpy()
        if not self._begun:
            self._policy.reset(batch["task"][0], calibration(env))
            self._begun = True
        return torch.from_numpy(self._policy.act(sent)).float()[None]

    def predict_action_chunk(self, batch, **_):
        return self.select_action(batch)[None]

    def get_optim_params(self):
        raise NotImplementedError("it learns nothing")

    def forward(self, batch):
        raise NotImplementedError("it learns nothing")


def make_tamp_pre_post_processors(config, **_):
    after = {"to_transition": policy_action_to_transition, "to_output": transition_to_policy_action}
    return PolicyProcessorPipeline(steps=[]), PolicyProcessorPipeline(steps=[], **after)
