"""A driver for `npx stockcheck certify -- python3 driver.py`: standard library only.

Replace `perform` with a call to your own client. What has to stay: what comes in by environment variables, one JSON
object on the last line of stdout, and exit code 0 for an error that the service answered, too.
"""

import http.client
import json
import random
import time
from calendar import timegm
from email.utils import parsedate
from os import environ
from urllib.parse import urlsplit

MAX_ATTEMPTS = 5
LONGEST_WAIT_SECONDS = 60


def perform():
    for attempt in range(1, MAX_ATTEMPTS + 1):
        status, headers, body = send()
        wait = max(0, retry_after(headers["Retry-After"]))
        if status != 429 or attempt == MAX_ATTEMPTS or wait > LONGEST_WAIT_SECONDS:
            return report(status, body)
        # Retry-After is the least; the backoff on top of it grows, and keeps clients from coming back all at once.
        time.sleep(wait + 0.25 * 2**attempt * random.uniform(0.5, 1))


def send():
    base = urlsplit(environ["STOCKCHECK_BASE_URL"])
    method, path, body = "GET", base.path + "/inventory", None
    headers = {"Authorization": "Bearer " + environ["STOCKCHECK_API_KEY"]}
    if environ["STOCKCHECK_OPERATION"] == "updateInventory":
        method, path = "PATCH", path + "/" + environ["STOCKCHECK_PET_ID"]
        body = json.dumps({"quantity": int(environ["STOCKCHECK_QUANTITY"])})
        headers["Content-Type"] = "application/json"
    connection = http.client.HTTPConnection(base.netloc, timeout=30)
    try:
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        return response.status, response.headers, response.read()
    finally:
        connection.close()


def retry_after(value):
    """Retry-After is a number of seconds or a date; the result is in seconds from now on."""
    try:
        return int(value) if value.isdigit() else timegm(parsedate(value)) - time.time()
    except (AttributeError, TypeError, ValueError):
        return 0


def report(status, body):
    if status == 200:
        return {"ok": True, "value": json.loads(body)}
    try:
        answered = json.loads(body)
        return {"ok": False, "error": {"code": answered["code"], "message": answered["message"], "status": status}}
    except (ValueError, KeyError, TypeError):
        # The body of a 429 may be empty, or no JSON.
        return {"ok": False, "error": {"code": "unreadable_error", "message": f"HTTP status {status}", "status": status}}


try:
    print(json.dumps(perform()))
except (OSError, http.client.HTTPException) as error:
    # No answer came: a connection was refused, closed or timed out.
    print(json.dumps({"ok": False, "error": {"code": None, "message": str(error), "status": None}}))
