"""The Petstore Inventory Service and its control contract, on FastAPI: Python 3.10 or later.

    pip install fastapi uvicorn
    PORT=8080 CONTROL_PORT=9090 python3 server.py       (without them, any free ports)
    npx stockcheck verify http://127.0.0.1:8080/v1 --key free=free-Maple-7Hq2 --control http://127.0.0.1:9090

To give your own service the control contract, keep "The clock" and "The control contract" as they are, and let them
act on your own keys, counters and inventory. Start the control contract in test builds only.
"""

import json
import math
import os
import re
import secrets
import socket
import time
from dataclasses import dataclass
from email.utils import formatdate
from http import HTTPStatus
from typing import Literal

import uvicorn
from fastapi import Body, FastAPI, Request, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException

# ---- The clock. Whatever the service derives from time has to ask this one, which can be moved.

advanced_seconds = 0.0


def now() -> float:
    """Unix seconds, with fractions."""
    return time.time() + advanced_seconds


# ---- Keys and their limits

# Requests a minute and a day.
PLANS = {"free": (60, 1_000), "pro": (300, 10_000), "business": (1_000, 100_000), "enterprise": (2_000, 200_000)}


@dataclass
class Window:
    """A minute or a day of a key. It begins with the first request after the last one has ended."""

    limit: int
    seconds: int
    remaining: int = 0
    ends_at: float = 0

    def renew(self, moment: float) -> None:
        if moment >= self.ends_at:
            self.remaining = self.limit
            self.ends_at = moment + self.seconds


class Client:
    def __init__(self, per_minute: int, per_day: int) -> None:
        self.minute = Window(per_minute, 60)
        self.day = Window(per_day, 86_400)

    def tighter(self, moment: float) -> Window:
        """The window that leaves fewer requests, or that ends later if both leave as many."""
        self.minute.renew(moment)
        self.day.renew(moment)
        return min(self.minute, self.day, key=lambda window: (window.remaining, -window.ends_at))


# ---- What the service starts with, and what a reset puts back


class Item(BaseModel):
    petId: int
    quantity: int
    status: Literal["available", "pending", "sold"]


clients: dict[str, Client] = {}
inventory: dict[int, Item] = {}


def seed() -> None:
    clients.clear()
    clients.update({f"{plan}-Maple-7Hq2": Client(*limits) for plan, limits in PLANS.items()})
    available = Item(petId=1, quantity=12, status="available")
    pending = Item(petId=2, quantity=3, status="pending")
    sold = Item(petId=3, quantity=0, status="sold")
    beyond_a_double = Item(petId=9_007_199_254_740_993, quantity=7, status="available")
    stock([available, pending, sold, beyond_a_double])


def stock(items: list[Item]) -> None:
    inventory.clear()
    inventory.update({item.petId: item for item in items})


# ---- The service. All of it runs on one thread, so that nothing needs a lock.

service = FastAPI(title="Petstore Inventory Service")


@service.middleware("http")
async def keep_limits(request: Request, call_next) -> Response:
    """Comes before every route: each response has the three headers, and each request with a key counts."""
    bearer = re.fullmatch(r"(?i:Bearer) +(\S+)", request.headers.get("Authorization", ""))
    known = clients.get(bearer[1]) if bearer else None
    # A request without a key is told what a new Free key would be.
    client = known or Client(*PLANS["free"])
    moment = now()
    window = client.tighter(moment)
    is_accepted = known is not None and window.remaining > 0
    if is_accepted:
        client.minute.remaining -= 1
        client.day.remaining -= 1
    headers = {
        "Date": formatdate(moment, usegmt=True),
        "X-RateLimit-Limit": str(window.limit),
        "X-RateLimit-Remaining": str(window.remaining),
        "X-RateLimit-Reset": str(math.ceil(window.ends_at)),
    }
    if is_accepted:
        response = await call_next(request)
    elif known is None:
        response = refuse(401, "A valid API key is required as a bearer token.", {"WWW-Authenticate": "Bearer"})
    else:
        wait = math.ceil(window.ends_at - moment)
        response = refuse(429, "The limit of requests is used up.", {"Retry-After": str(wait)})
    response.headers.update(headers)
    return response


@service.get("/v1/inventory")
async def list_inventory() -> list[Item]:
    return list(inventory.values())


@service.patch("/v1/inventory/{pet_id:int}")
async def update_inventory(pet_id: int, request: Request) -> Item:
    quantity = read_quantity(await request.body())
    if quantity is None:
        raise HTTPException(400, "quantity has to be an integer from 0.")
    if pet_id not in inventory:
        raise HTTPException(404, "No such pet is in the inventory.")
    inventory[pet_id].quantity = quantity
    return inventory[pet_id]


def read_quantity(body: bytes) -> int | None:
    """Not by a model: what Pydantic takes for an object or an integer differs from version to version."""
    try:
        update = json.loads(body)
    except (ValueError, RecursionError):
        return None
    quantity = update.get("quantity") if isinstance(update, dict) else None
    return quantity if type(quantity) is int and quantity >= 0 else None


# The specification does not show the shapes of these two.
@service.get("/v1/pets/{pet_id}")
@service.get("/v1/store/orders")
async def answer_something() -> dict:
    return {}


@service.exception_handler(HTTPException)
async def refuse_request(_: Request, error: HTTPException) -> JSONResponse:
    return refuse(error.status_code, error.detail, error.headers)


def refuse(status: int, message: str, headers: dict[str, str] | None = None) -> JSONResponse:
    code = HTTPStatus(status).name.lower()
    return JSONResponse({"code": code, "message": message, "status": status}, status, headers)


# ---- The control contract. A call that you do not offer is left out of the capabilities, and answered 404.

control = FastAPI(title="Control contract")


class KeyOrder(BaseModel):
    plan: Literal["free", "pro", "business", "enterprise"]
    perMinute: int | None = None
    perDay: int | None = None
    usedToday: int = 0


@control.get("/")
async def describe() -> dict:
    return {"capabilities": ["reset", "keys", "clock", "inventory"], "now": now()}


@control.post("/reset", status_code=204)
async def reset() -> None:
    seed()


@control.post("/keys", status_code=201)
async def issue_key(order: KeyOrder) -> dict:
    per_minute, per_day = PLANS[order.plan]
    client = Client(order.perMinute or per_minute, order.perDay or per_day)
    client.day.renew(now())
    client.day.remaining -= order.usedToday
    key = f"{order.plan}-{secrets.token_hex(8)}"
    clients[key] = client
    return {"key": key}


@control.delete("/keys/{key}", status_code=204)
async def revoke_key(key: str) -> None:
    clients.pop(key, None)


@control.post("/clock")
async def advance_clock(seconds: float = Body(alias="advanceSeconds", embed=True)) -> dict:
    global advanced_seconds
    advanced_seconds += seconds
    return {"now": now()}


@control.put("/inventory", status_code=204)
async def replace_inventory(items: list[Item]) -> None:
    stock(items)


# ---- Both listen on this machine only.


def listen(variable: str) -> tuple[socket.socket, int]:
    listener = socket.create_server(("127.0.0.1", int(os.environ.get(variable, 0))))
    return listener, listener.getsockname()[1]


if __name__ == "__main__":
    seed()
    listener, port = listen("PORT")
    control_listener, control_port = listen("CONTROL_PORT")

    async def both(scope, receive, send) -> None:
        app = control if scope["server"][1] == control_port else service
        await app(scope, receive, send)

    print(f"listening on http://127.0.0.1:{port}/v1, control http://127.0.0.1:{control_port}", flush=True)
    # The Date of uvicorn would be of another clock.
    config = uvicorn.Config(both, date_header=False, lifespan="off", log_level="warning")
    uvicorn.Server(config).run([listener, control_listener])
