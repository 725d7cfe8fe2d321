"""A small arm as URDF, with a file that tells of it: three hinges and two fingers, made of boxes."""

LINK = '<link name="{0}"><inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/>\
</inertial><collision><origin xyz="0 0 0.1"/><geometry>{1}</geometry></collision></link>'
JOINT = '<joint name="{0}" type="{1}"><parent link="{2}"/><child link="{3}"/><origin xyz="{4}"/><axis xyz="{5}"/>\
<limit lower="{6}" upper="{7}" effort="50" velocity="2"/></joint>'
BOX = '<box size="0.04 0.04 0.2"/>'
ARM = "\n".join(
    [
        '<robot name="small">',
        *(LINK.format(name, BOX) for name in ("base", "one", "two", "hand", "left", "right")),
        JOINT.format("shoulder", "revolute", "base", "one", "0 0 0.2", "0 1 0", -2, 2),
        JOINT.format("elbow", "revolute", "one", "two", "0 0 0.3", "0 1 0", -2, 2),
        JOINT.format("wrist", "revolute", "two", "hand", "0 0 0.3", "0 1 0", -2, 2),
        JOINT.format("f1", "prismatic", "hand", "left", "0.02 0 0.2", "1 0 0", 0, 0.04),
        JOINT.format("f2", "prismatic", "hand", "right", "-0.02 0 0.2", "-1 0 0", 0, 0.04),
        "</robot>",
    ]
)
TOLD = """\
urdf = "arm.urdf"
arm_joints = ["shoulder", "elbow", "wrist"]
finger_joints = ["f1", "f2"]
pads = ["left", "right"]
posture = [0.3, 0.6, 0.5]
reach = 0.6
[tool]
link = "hand"
xyz = [0.0, 0.0, 0.3]
[gripper]
opening = 0.08
"""
