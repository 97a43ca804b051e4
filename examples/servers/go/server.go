// The Petstore Inventory Service and its control contract, on net/http alone: Go 1.19 or later.
//
//	PORT=8080 CONTROL_PORT=9090 go run server.go       (without them, any free ports)
//	npx stockcheck verify http://127.0.0.1:8080/v1 --key free=free-Maple-7Hq2 --control http://127.0.0.1:9090
//
// To give your own service the control contract, keep "The clock" and "The control contract" as they are, and
// let them act on your own keys, counters and inventory. Start the control contract in test builds only.
package main

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math"
	"net"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// mu guards what follows. Bodies are read before it is locked, and written when it is free again.
var (
	mu        sync.Mutex
	advanced  float64
	clients   map[string]*client
	inventory []item
)

// ---- The clock. Whatever the service derives from time has to ask this one, which can be moved.

// now is in Unix seconds, with fractions.
func now() float64 {
	return float64(time.Now().UnixMicro())/1e6 + advanced
}

// ---- Keys and their limits

type limits struct{ PerMinute, PerDay int }

var plans = map[string]limits{
	"free":       {60, 1_000},
	"pro":        {300, 10_000},
	"business":   {1_000, 100_000},
	"enterprise": {2_000, 200_000},
}

// A window is a minute or a day of a key. It begins with the first request after the last one has ended.
type window struct {
	limit, remaining int
	seconds, endsAt  float64
}

func (w *window) renew(t float64) {
	if t >= w.endsAt {
		w.remaining, w.endsAt = w.limit, t+w.seconds
	}
}

type client struct{ minute, day window }

func newClient(l limits) *client {
	return &client{window{limit: l.PerMinute, seconds: 60}, window{limit: l.PerDay, seconds: 86_400}}
}

// tighter is the window that leaves fewer requests, or that ends later if both leave as many.
func (c *client) tighter(t float64) *window {
	c.minute.renew(t)
	c.day.renew(t)
	difference := c.day.remaining - c.minute.remaining
	if difference < 0 || difference == 0 && c.day.endsAt > c.minute.endsAt {
		return &c.day
	}
	return &c.minute
}

// ---- What the service starts with, and what a reset puts back

type item struct {
	PetID    int64  `json:"petId"`
	Quantity int64  `json:"quantity"`
	Status   string `json:"status"`
}

func seed() {
	clients = map[string]*client{}
	for plan, l := range plans {
		clients[plan+"-Maple-7Hq2"] = newClient(l)
	}
	inventory = []item{
		{1, 12, "available"},
		{2, 3, "pending"},
		{3, 0, "sold"},
		{9007199254740993, 7, "available"},
	}
}

// ---- The service

var routes = []struct {
	method string
	path   *regexp.Regexp
	answer func(petID string, body []byte) (status int, value any)
}{
	{"GET", regexp.MustCompile(`^/v1/inventory/?$`), func(string, []byte) (int, any) { return 200, inventory }},
	{"PATCH", regexp.MustCompile(`^/v1/inventory/([^/]+)/?$`), updateInventory},
	// The specification does not show the shapes of these two.
	{"GET", regexp.MustCompile(`^/v1/pets/[^/]+/?$`), func(string, []byte) (int, any) { return 200, struct{}{} }},
	{"GET", regexp.MustCompile(`^/v1/store/orders/?$`), func(string, []byte) (int, any) { return 200, []any{} }},
}

func serveAPI(r *http.Request, body []byte, header http.Header) (status int, value any) {
	// This comes before every route: each response has the three headers, and each request with a key
	// counts. A request without a key is told what a new Free key would be.
	c, known := newClient(plans["free"]), false
	words := strings.Fields(r.Header.Get("Authorization"))
	if len(words) == 2 && strings.EqualFold(words[0], "Bearer") && clients[words[1]] != nil {
		c, known = clients[words[1]], true
	}
	t := now()
	w := c.tighter(t)
	accepted := known && w.remaining > 0
	if accepted {
		c.minute.remaining--
		c.day.remaining--
	}
	header.Set("X-RateLimit-Limit", strconv.Itoa(w.limit))
	header.Set("X-RateLimit-Remaining", strconv.Itoa(w.remaining))
	header.Set("X-RateLimit-Reset", fmt.Sprintf("%.0f", math.Ceil(w.endsAt)))
	if !known {
		header.Set("WWW-Authenticate", "Bearer")
		return refuse(401, "unauthorized", "A valid API key is required as a bearer token.")
	}
	if !accepted {
		header.Set("Retry-After", fmt.Sprintf("%.0f", math.Ceil(w.endsAt-t)))
		return refuse(429, "rate_limited", "The limit of requests is used up.")
	}
	for _, route := range routes {
		match := route.path.FindStringSubmatch(r.URL.Path)
		if match != nil && r.Method == route.method {
			return route.answer(match[len(match)-1], body)
		}
		if match != nil {
			header.Set("Allow", route.method)
			return refuse(405, "method_not_allowed", "This path takes "+route.method+" only.")
		}
	}
	return refuse(404, "not_found", "There is no such path.")
}

func updateInventory(petID string, body []byte) (int, any) {
	// A map, since a struct would take a member Quantity, too; a pointer, since null leaves a number as it is.
	var members map[string]json.RawMessage
	var quantity *int64
	if json.Unmarshal(body, &members) != nil || json.Unmarshal(members["quantity"], &quantity) != nil ||
		quantity == nil || *quantity < 0 {
		return refuse(400, "invalid_quantity", "quantity has to be an integer from 0.")
	}
	id, err := strconv.ParseInt(petID, 10, 64)
	for i := range inventory {
		if err == nil && inventory[i].PetID == id {
			inventory[i].Quantity = *quantity
			return 200, inventory[i]
		}
	}
	return refuse(404, "pet_not_found", "No such pet is in the inventory.")
}

func refuse(status int, code, message string) (int, any) {
	return status, map[string]any{"code": code, "message": message, "status": status}
}

// ---- The control contract. A call that you do not offer is left out of the capabilities, and answered 404.

func serveControl(r *http.Request, body []byte, _ http.Header) (status int, value any) {
	var order struct {
		Plan           string
		UsedToday      int
		AdvanceSeconds float64
	}
	items := []item{}
	switch call := r.Method + " " + r.URL.Path; {
	case call == "GET /":
		return 200, map[string]any{"capabilities": []string{"reset", "keys", "clock", "inventory"}, "now": now()}
	case call == "POST /reset":
		seed()
	case call == "POST /keys" && json.Unmarshal(body, &order) == nil && plans[order.Plan] != limits{}:
		l := plans[order.Plan]
		json.Unmarshal(body, &l) // The order may name other limits.
		random := make([]byte, 8)
		rand.Read(random)
		key := fmt.Sprintf("%s-%x", order.Plan, random)
		clients[key] = newClient(l)
		clients[key].day.renew(now())
		clients[key].day.remaining -= order.UsedToday
		return 201, map[string]any{"key": key}
	case call == "POST /clock" && json.Unmarshal(body, &order) == nil:
		advanced += order.AdvanceSeconds
		return 200, map[string]any{"now": now()}
	case call == "PUT /inventory" && json.Unmarshal(body, &items) == nil:
		inventory = items
	case strings.HasPrefix(call, "DELETE /keys/"):
		delete(clients, strings.TrimPrefix(call, "DELETE /keys/"))
	default:
		return refuse(404, "not_found", "There is no such call, or it has another body.")
	}
	return 204, nil
}

// ---- Both listen on this machine only.

func handler(answer func(*http.Request, []byte, http.Header) (int, any)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		status, value := answer(r, body, w.Header())
		text, _ := json.Marshal(value)
		mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		w.Write(text) // Nothing, if the status is 204.
	}
}

func listen(port string) net.Listener {
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		log.Fatal(err)
	}
	return listener
}

func main() {
	seed()
	api, control := listen(os.Getenv("PORT")), listen(os.Getenv("CONTROL_PORT"))
	fmt.Printf("listening on http://%s/v1, control http://%s\n", api.Addr(), control.Addr())
	go http.Serve(control, handler(serveControl))
	log.Fatal(http.Serve(api, handler(serveAPI)))
}
