// The Petstore Inventory Service and its control contract, on the JDK's own HTTP server: Java 17 or later.
//
//   PORT=8080 CONTROL_PORT=9090 java Server.java       (without them, any free ports)
//   npx stockcheck verify http://127.0.0.1:8080/v1 --key free=free-Maple-7Hq2 --control http://127.0.0.1:9090
//
// To give your own service the control contract, keep "The clock" and "The control contract" as they are, and
// let them act on your own keys, counters and inventory. Start the control contract in test builds only.
import com.sun.net.httpserver.*;
import java.math.BigDecimal;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.*;
import java.util.*;
import java.util.concurrent.Executors;
import java.util.function.BiFunction;
import java.util.regex.*;

public class Server {
  // ---- The clock. Whatever the service derives from time has to ask this one, which can be moved.
  static Clock clock = Clock.systemUTC();

  static BigDecimal now() {
    return BigDecimal.valueOf(clock.millis(), 3);
  }

  // ---- Keys and their limits
  /** A minute or a day of a key. It begins with the first request after the last one has ended. */
  static class Window {
    final int limit;
    final Duration length;
    int remaining;
    long endsAt;

    Window(int limit, Duration length) {
      this.limit = limit;
      this.length = length;
    }

    void renew(long time) {
      if (time >= endsAt) {
        remaining = limit;
        endsAt = time + length.toMillis();
      }
    }
  }

  record Client(Window minute, Window day) {
    Client(int perMinute, int perDay) {
      this(new Window(perMinute, Duration.ofMinutes(1)), new Window(perDay, Duration.ofDays(1)));
    }

    /** The window that leaves fewer requests, or that ends later if both leave as many. */
    Window tighter(long time) {
      minute.renew(time);
      day.renew(time);
      int difference = day.remaining - minute.remaining;
      return difference < 0 || difference == 0 && day.endsAt > minute.endsAt ? day : minute;
    }
  }

  /** A client of each plan that has sent nothing yet. */
  static final Map<String, Client> PLANS = Map.of(
      "free", new Client(60, 1_000),
      "pro", new Client(300, 10_000),
      "business", new Client(1_000, 100_000),
      "enterprise", new Client(2_000, 200_000));

  // ---- What the service starts with, and what a reset puts back
  /** An item as it is spelled in JSON, so that no digit is lost. */
  record Item(String petId, String quantity, String status) {
    @Override
    public String toString() {
      return "{\"petId\":%s,\"quantity\":%s,\"status\":%s}".formatted(petId, quantity, status);
    }
  }

  static final Map<String, Client> clients = new HashMap<>();
  static final Map<String, Item> inventory = new LinkedHashMap<>();

  static void seed() {
    clients.clear();
    PLANS.forEach((plan, fresh) -> clients.put(plan + "-Maple-7Hq2", new Client(fresh.minute.limit, fresh.day.limit)));
    stock("""
        [{"petId":1,"quantity":12,"status":"available"},
         {"petId":2,"quantity":3,"status":"pending"},
         {"petId":3,"quantity":0,"status":"sold"},
         {"petId":9007199254740993,"quantity":7,"status":"available"}]""");
  }

  static void stock(String items) {
    inventory.clear();
    Pattern.compile("\\{[^}]*}").matcher(items).results().map(object -> readObject(object.group())).forEach(item ->
        inventory.put(item.get("petId"), new Item(item.get("petId"), item.get("quantity"), item.get("status"))));
  }

  // ---- The service
  record Answer(int status, String body) {}

  static synchronized Answer serve(HttpExchange exchange, String body) {
    // This comes before every route: each response has the three headers, and each request with a key counts.
    // A request without a key is told what a new Free key would be.
    String[] words = exchange.getRequestHeaders().getOrDefault("Authorization", List.of("")).get(0).split(" +");
    Client known = words.length == 2 && words[0].equalsIgnoreCase("Bearer") ? clients.get(words[1]) : null;
    Client client = known == null ? PLANS.get("free") : known;
    long time = clock.millis();
    Window window = client.tighter(time);
    boolean isAccepted = known != null && window.remaining > 0;
    if (isAccepted) {
      client.minute.remaining--;
      client.day.remaining--;
    }
    Headers headers = exchange.getResponseHeaders();
    headers.set("X-RateLimit-Limit", "" + window.limit);
    headers.set("X-RateLimit-Remaining", "" + window.remaining);
    headers.set("X-RateLimit-Reset", "" + (window.endsAt + 999) / 1_000);
    if (known == null) {
      headers.set("WWW-Authenticate", "Bearer");
      return refuse(401, "unauthorized", "A valid API key is required as a bearer token.");
    }
    if (!isAccepted) {
      headers.set("Retry-After", "" + (window.endsAt - time + 999) / 1_000);
      return refuse(429, "rate_limited", "The limit of requests is used up.");
    }
    String path = exchange.getRequestURI().getPath().replaceFirst("/$", "");
    String allowed = path.matches("/v1/inventory/[^/]+") ? "PATCH" : "GET";
    if (allowed.equals("GET") && !path.matches("/v1/(inventory|pets/[^/]+|store/orders)")) {
      return refuse(404, "not_found", "There is no such path.");
    }
    if (!exchange.getRequestMethod().equals(allowed)) {
      headers.set("Allow", allowed);
      return refuse(405, "method_not_allowed", "This path takes " + allowed + " only.");
    }
    if (allowed.equals("PATCH")) {
      return update(path.substring(path.lastIndexOf('/') + 1), body);
    }
    // The specification does not show the shapes of the other two.
    return new Answer(200, path.equals("/v1/inventory") ? inventory.values().toString() : "{}");
  }

  static Answer update(String petId, String body) {
    String quantity = readObject(body).getOrDefault("quantity", "");
    if (!quantity.matches("\\d{1,15}")) {
      return refuse(400, "invalid_quantity", "quantity has to be an integer from 0.");
    }
    Item item = inventory.computeIfPresent(petId, (id, old) -> new Item(id, quantity, old.status));
    return item == null
        ? refuse(404, "pet_not_found", "No such pet is in the inventory.")
        : new Answer(200, item.toString());
  }

  static Answer refuse(int status, String code, String message) {
    return new Answer(status, "{\"code\":\"%s\",\"message\":\"%s\",\"status\":%d}".formatted(code, message, status));
  }

  // ---- JSON, which the JDK cannot read. This reads flat objects, which is all it takes here; a library reads more.
  static final String SPACE = "[ \\t\\r\\n]*+";
  static final String STRING = "\"(?:[^\"\\\\\\x00-\\x1f]++|\\\\(?:[\"\\\\/bfnrt]|u\\p{XDigit}{4}))*+\"";
  static final String NUMBER = "-?(?:0|[1-9]\\d*+)(?:\\.\\d++)?(?:[eE][+-]?\\d++)?";
  static final Pattern MEMBER = Pattern.compile("\\G(?:^_\\{|,)_(STRING)_:_(STRING|NUMBER|true|false|null)_"
      .replace("_", SPACE).replace("STRING", STRING).replace("NUMBER", NUMBER));

  /** Each member as it is spelled, strings in their quotes; none if the text is something else. */
  static Map<String, String> readObject(String text) {
    Map<String, String> members = new HashMap<>();
    String rest = MEMBER.matcher(text).replaceAll(member -> {
      members.put(unescape(member.group(1)), member.group(2));
      return "";
    });
    return rest.matches("}" + SPACE) ? members : Map.of();
  }

  /** Without the quotes; quantity may be spelled quantit\\u0079, too. */
  static String unescape(String string) {
    return Pattern.compile("\"|\\\\u(\\p{XDigit}{4})").matcher(string).replaceAll(match ->
        match.group(1) == null ? "" : Matcher.quoteReplacement("" + (char) Integer.parseInt(match.group(1), 16)));
  }

  // ---- The control contract. A call that you do not offer is left out of the capabilities, and answered 404.
  static synchronized Answer control(HttpExchange exchange, String body) {
    String path = exchange.getRequestURI().getPath();
    return switch (exchange.getRequestMethod() + " " + path.replaceFirst("^/keys/.+", "/keys/*")) {
      case "GET /" -> new Answer(200, """
          {"capabilities":["reset","keys","clock","inventory"],"now":%s}""".formatted(now()));
      case "POST /reset" -> done(Server::seed);
      case "POST /keys" -> issueKey(readObject(body));
      case "DELETE /keys/*" -> done(() -> clients.remove(path.substring(6)));
      case "POST /clock" -> {
        BigDecimal seconds = new BigDecimal(readObject(body).getOrDefault("advanceSeconds", "0"));
        clock = Clock.offset(clock, Duration.ofMillis(seconds.movePointRight(3).longValue()));
        yield new Answer(200, "{\"now\":" + now() + "}");
      }
      case "PUT /inventory" -> done(() -> stock(body));
      default -> refuse(404, "not_found", "There is no such call.");
    };
  }

  static Answer done(Runnable change) {
    change.run();
    return new Answer(204, "");
  }

  static Answer issueKey(Map<String, String> order) {
    String plan = unescape(order.getOrDefault("plan", ""));
    Client fresh = PLANS.get(plan);
    if (fresh == null) {
      return refuse(400, "unknown_plan", "There is no such plan.");
    }
    String perMinute = order.getOrDefault("perMinute", "" + fresh.minute.limit);
    String perDay = order.getOrDefault("perDay", "" + fresh.day.limit);
    Client client = new Client(Integer.parseInt(perMinute), Integer.parseInt(perDay));
    client.day.renew(clock.millis());
    client.day.remaining -= Integer.parseInt(order.getOrDefault("usedToday", "0"));
    String key = plan + "-" + UUID.randomUUID();
    clients.put(key, client);
    return new Answer(201, "{\"key\":\"" + key + "\"}");
  }

  // ---- Both listen on this machine only.
  static int start(String variable, BiFunction<HttpExchange, String, Answer> service) throws Exception {
    int port = Integer.parseInt(System.getenv().getOrDefault(variable, "0"));
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
    server.setExecutor(Executors.newCachedThreadPool());
    server.createContext("/", exchange -> {
      String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      Answer answer = service.apply(exchange, body);
      boolean isHead = exchange.getRequestMethod().equals("HEAD");
      byte[] bytes = isHead ? new byte[0] : answer.body.getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(answer.status, bytes.length == 0 ? -1 : bytes.length);
      exchange.getResponseBody().write(bytes);
      exchange.close();
    });
    server.start();
    return server.getAddress().getPort();
  }

  public static void main(String[] words) throws Exception {
    // Else the second half of each response waits for an acknowledgement of the first.
    System.setProperty("sun.net.httpserver.nodelay", "true");
    seed();
    int port = start("PORT", Server::serve);
    int controlPort = start("CONTROL_PORT", Server::control);
    System.out.println("listening on http://127.0.0.1:" + port + "/v1, control http://127.0.0.1:" + controlPort);
  }
}
