"""Vehicle routing as a gapless plug-in: the problem, its pricing, its cuts, its brancher, its certificate."""

from gapless_vehicle_routing.branching import VehiclesThenRoads
from gapless_vehicle_routing.certificate import RoutePriceCertificate
from gapless_vehicle_routing.cuts import CapacityCuts
from gapless_vehicle_routing.formulation import formulation
from gapless_vehicle_routing.instances import random_instance
from gapless_vehicle_routing.problem import Plan, Route, VehicleRoutingProblem

__all__ = [
    "CapacityCuts",
    "Plan",
    "Route",
    "RoutePriceCertificate",
    "VehicleRoutingProblem",
    "VehiclesThenRoads",
    "formulation",
    "random_instance",
]
