import type { Finding, Level, Outcome, Profile, Tally, TrafficCounts } from '../../contract/verdict.ts';
import type { LoadScenarioResult } from '../../contract/load-result.ts';

/** The verdict on a target, of `verify` and `load`. */
export type TargetVerdict = 'conformant' | 'nonconformant' | 'inconclusive';

/** How many requirements of one level had each outcome. */
type OutcomeCounts = Readonly<Record<Outcome, number>>;

/** One row of the register with what the run found. */
export interface ReportedRequirement {
  readonly id: string;
  readonly level: Level;
  /** The set of requirements that it came with. Reports of earlier versions do not say. */
  readonly since?: string;
  /** Whether it is newer than the set that the run was judged by, so that it decides nothing. */
  readonly newer?: boolean;
  readonly area: string;
  readonly outcome: Outcome;
  /** The statement of the register. */
  readonly title: string;
  readonly clause: string;
  /** How an ambiguity of the clause is read. */
  readonly reading?: string;
  /** Why it was skipped or is inconclusive. */
  readonly reason?: string;
  /** How many exchanges or judgements support the outcome. */
  readonly evidence: number;
  /** How often a failure was seen. */
  readonly tally?: Tally;
  /** Ids of the checks that judged it. */
  readonly checks: readonly string[];
  /** Whether the baseline expects this failure. */
  readonly expectedFailure?: boolean;
  readonly findings: readonly Finding[];
}

interface ReportedCheck {
  readonly id: string;
  readonly title: string;
  readonly outcome: Outcome;
  readonly durationSeconds: number;
  readonly requests: number;
}

/** Requests announced before the run and sent by it, for one key known by its label. */
interface KeyBudget {
  readonly label: string;
  readonly plan: string;
  readonly announced: number;
  readonly spent: number;
}

export type Observation = string | number | boolean | readonly string[];

/** A failed requirement, with those that probably failed because of it; ids of the register. */
export interface ReportedCause {
  readonly requirement: string;
  readonly explains: readonly string[];
}

/** What the reports of all kinds share. */
interface CommonReport {
  readonly schemaVersion: 1;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly durationSeconds: number;
  readonly suite: { readonly version: string; readonly specVersion: '1.0.0' };
  /** The verdict with its scope: "conformant in profile safe: 31 of 47 MUSTs judged". */
  readonly scope: string;
  /** The level that decides the verdict. */
  readonly level: 'must' | 'should';
  /** The set of requirements that decides the verdict. Reports of earlier versions do not say. */
  readonly requirementSet?: string;
  /** The unexpected failures by cause, the likeliest root first. Reports of earlier versions have none. */
  readonly causes?: readonly ReportedCause[];
  readonly requirements: readonly ReportedRequirement[];
  readonly counts: Readonly<Record<Level, OutcomeCounts>>;
  readonly observations: Readonly<Record<string, Observation>>;
  /** What the user should know about the run itself: restore failures, an interruption. */
  readonly problems: readonly string[];
}

/** The server that `verify` or `load` ran against. */
interface ReportedTarget {
  readonly url: string;
  /** Whether it is the reference server that `--self` starts. */
  readonly embedded?: boolean;
  readonly control: string | null;
  /** Labels such as `free#1`, never keys. */
  readonly keys: readonly string[];
}

/** What is known of traffic that others made, if that was judged. */
export interface ReportedTraffic extends TrafficCounts {
  /** Passed and not judged. */
  readonly notSampled: number;
  /** Connections that were upgraded to another protocol, so that nothing of them was judged. */
  readonly upgraded?: number;
  /** Requests that the proxy itself refused, since they were no HTTP/1.1. */
  readonly refused?: number;
  /** Exchanges that were under way when the watch ended. */
  readonly cutOff?: number;
}

/** What a run explored with random sequences of requests. */
export interface ReportedExploration {
  /** The same seed plays the same sequences. */
  readonly seed: number;
  readonly requests: number;
  /** Requests that it took to shorten what was found. */
  readonly shrinking: number;
  /** Sequences that were played, each on fresh keys. */
  readonly episodes: number;
  readonly found: readonly {
    readonly requirement: string;
    /** Requests of the shortest sequence that shows the violation. */
    readonly requests: number;
    /** Whether it was seen again when the sequence was repeated; `null` if it could not be repeated. */
    readonly repeated: boolean | null;
  }[];
}

/**
 * How much a verdict is worth: the seeded faults of this version, and how many of them the run could have caught by what the
 * kill matrix says of the checks that it ran.
 */
export interface ReportedPower {
  readonly known: number;
  readonly withinReach: number;
  readonly byArea: readonly {
    readonly area: string;
    readonly known: number;
    readonly withinReach: number;
  }[];
  /** The same by what the faults break; in reports of `verify` and `certify`. */
  readonly byRequirement?: readonly PowerOfRequirement[];
}

/** How many of the seeded faults that break one requirement the run could have caught. */
export interface PowerOfRequirement {
  readonly requirement: string;
  readonly known: number;
  readonly withinReach: number;
  /** How many of them show only with a control URL, which the run had not; left out of reports on clients. */
  readonly needControl?: number;
}

/** How long responses took to requests that no other was under way with, in milliseconds. */
export interface ReportedResponseTimes {
  readonly requests: number;
  readonly p50: number;
  readonly p95: number;
}

/** The report of `stockcheck verify`, and of `stockcheck watch`. */
export interface VerifyReport extends CommonReport {
  readonly kind: 'verify';
  readonly verdict: TargetVerdict;
  readonly profile: Profile;
  readonly target: ReportedTarget;
  readonly budget: {
    readonly announced: number;
    readonly spent: number;
    readonly byKey: readonly KeyBudget[];
  };
  readonly checks: readonly ReportedCheck[];
  /** Absent if every request had others beside it, or none was sent. */
  readonly responseTimes?: ReportedResponseTimes;
  /** Set if traffic was judged, and nothing was sent. */
  readonly traffic?: ReportedTraffic;
  /** Absent if nothing was explored. */
  readonly exploration?: ReportedExploration;
  /** Absent if no check ran: traffic of others, or the trail of a finding, was judged. */
  readonly power?: ReportedPower;
}

/** The verdict on a client, of `certify`. */
export type CertifyVerdict = 'certified' | 'not-certified' | 'inconclusive';

/** One request of a client in a scenario; moments are seconds since the scenario began, on the server's clock. */
export interface TimelineEntry {
  readonly method: string;
  /** Path and query as they stood on the wire. */
  readonly target: string;
  readonly receivedSeconds: number;
  /** `null` if it was not answered. */
  readonly answeredSeconds: number | null;
  readonly status: number | null;
  /** The value of Retry-After, if the answer had one. */
  readonly retryAfter: string | null;
  /** The client must not send another request before this moment; `null` if it may at any time. */
  readonly allowedSeconds: number | null;
  /** Whether it came before an earlier answer allowed it. */
  readonly isEarly: boolean;
}

/** One scenario as it went. */
export interface ReportedScenario {
  readonly id: string;
  readonly title: string;
  /** Such as `GET /inventory` or `PATCH /inventory/7 to 3`. */
  readonly task: string;
  readonly outcome: Outcome;
  readonly durationSeconds: number;
  readonly timeline: readonly TimelineEntry[];
  /** How it ended, in a sentence: what the client reported, or how it broke off. */
  readonly ending: string;
  /** What failed, each with what to change; without the title of the scenario. */
  readonly failures: readonly string[];
  /** Growth (a factor) and jitter (a share) of its waits; `null` if there were too few. */
  readonly backoff: { readonly factor: number; readonly jitter: number } | null;
  /** What the client wrote to stdout and stderr, cut to a readable length; '' if nothing was started. */
  readonly output: string;
}

/** A permitted choice of a service, and how a client got on with it in the scenarios that it changes. */
export interface ReportedFreedom {
  readonly variant: string;
  /** What is different, in a sentence without a stop. */
  readonly title: string;
  /** What the specification leaves open there. */
  readonly freedom: string;
  /** How many scenarios were played with it. */
  readonly scenarios: number;
  /** Those that the client passed with the reference and failed with this choice. */
  readonly failed: readonly { readonly scenario: string; readonly failures: readonly string[] }[];
}

/** How clients came back after the same refusal; milliseconds from the moment at which each was allowed to. */
interface ReportedReturns {
  /** What Retry-After asked for. */
  readonly retryAfterSeconds: number;
  /** In ascending order; negative if a client came too early. */
  readonly milliseconds: readonly number[];
  readonly median: number;
  /** From the first return to the last. */
  readonly range: number;
  readonly interquartileRange: number;
  /** The share of the returns in the busiest stretch of 100 ms. */
  readonly busiestShare: number;
}

/** How a client comes back that was refused together with many others of its kind. */
export interface ReportedHerd {
  readonly clients: number;
  /** After the first refusal, after the second, and so on, until no client came back. */
  readonly refusals: readonly ReportedReturns[];
  /** What becomes of that from refusal to refusal. */
  readonly growth: 'growing' | 'varying' | 'constant' | 'too few';
  readonly earliness: {
    readonly waits: number;
    readonly early: number;
    /** `null` if it is not early as a rule; `size` is in milliseconds, or a share of Retry-After, as the median. */
    readonly habit: {
      readonly kind: 'amount' | 'share' | 'unknown';
      readonly size: number;
      readonly mostMilliseconds: number;
    } | null;
  };
}

/** Whether the server of a client kept the specification, response by response. */
export interface ReportedServer {
  /** Responses that the oracle judged. */
  readonly responses: number;
  /** What it violated; nothing is said of the client in those scenarios. */
  readonly accusations: readonly {
    readonly scenario: string;
    readonly requirement: string;
    readonly message: string;
  }[];
  /** What scenarios have it violate on purpose. */
  readonly breaks: readonly { readonly scenario: string; readonly requirements: readonly string[] }[];
}

/** The report of `stockcheck certify`. */
export interface CertifyReport extends CommonReport {
  readonly kind: 'certify';
  readonly verdict: CertifyVerdict;
  readonly profile: 'full';
  readonly target: {
    /** The program and its arguments; empty if none was started. */
    readonly command: readonly string[];
    readonly driver: 'exec' | 'jsonl' | 'none';
  };
  readonly scenarios: readonly ReportedScenario[];
  /** Of the faults of clients; absent if nothing was judged. Reports of earlier versions have none. */
  readonly power?: ReportedPower;
  /** What the oracle says of the server that the client talked to; reports of earlier versions have none. */
  readonly server?: ReportedServer;
  /** Absent if the client met the reference alone. */
  readonly freedoms?: readonly ReportedFreedom[];
  /** Absent if no clients were started together. */
  readonly herd?: ReportedHerd;
}

/** The machine that made the figures of a load, and how it was asked to. */
export interface LoadEnvironment {
  readonly processor: string;
  /** Processors that the process may use. */
  readonly cores: number;
  /** Such as `24.21.0`. */
  readonly node: string;
  /** Name, release and architecture of the operating system. */
  readonly system: string;
  /** The command line, word by word, with an ellipsis for each secret. */
  readonly command: readonly string[];
}

/** The report of `stockcheck load`. Conformant if every threshold held and nothing violated the specification. */
export interface LoadReport extends CommonReport {
  readonly kind: 'load';
  readonly verdict: TargetVerdict;
  readonly profile: Profile;
  readonly target: ReportedTarget;
  readonly budget: { readonly announced: number; readonly spent: number };
  readonly scenarios: readonly LoadScenarioResult[];
  /** Of the faults that show only under load. Reports of earlier versions have none. */
  readonly power?: ReportedPower;
  /** Reports of earlier versions have none. */
  readonly environment?: LoadEnvironment;
}

/** The report of a run; `kind` says of which command. */
export type Report = VerifyReport | CertifyReport | LoadReport;

/** The verdict of a report of any kind. */
export type AnyVerdict = Report['verdict'];
