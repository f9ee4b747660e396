"""Vehicle routing as a gapless plug-in: the problem, its pricing, its cuts, its brancher, its certificate."""

from gapless_vehicle_routing.branching import VehiclesThenRoads
from gapless_vehicle_routing.certificate import RoutePriceCertificate
from gapless_vehicle_routing.cuts import CapacityCuts
from gapless_vehicle_routing.files import read_instance, read_solomon, read_vrplib
from gapless_vehicle_routing.formulation import formulation
from gapless_vehicle_routing.from_pyvrp import bound, from_pyvrp
from gapless_vehicle_routing.instances import random_instance
from gapless_vehicle_routing.problem import Plan, Route, VehicleRoutingProblem

__all__ = [
    "CapacityCuts",
    "Plan",
    "Route",
    "RoutePriceCertificate",
    "VehicleRoutingProblem",
    "VehiclesThenRoads",
    "bound",
    "formulation",
    "from_pyvrp",
    "random_instance",
    "read_instance",
    "read_solomon",
    "read_vrplib",
]
