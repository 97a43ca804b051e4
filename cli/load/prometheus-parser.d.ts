/** A reader of Prometheus' text format, which has no types of its own. */
declare module 'parse-prometheus-text-format' {
  interface ReadMetricFamily {
    readonly name: string;
    readonly type: string;
    readonly metrics: readonly {
      /** Cumulative counts by upper bound. */
      readonly buckets?: Readonly<Record<string, string>>;
      readonly count?: string;
      readonly sum?: string;
    }[];
  }
  export default function parsePrometheusTextFormat(text: string): readonly ReadMetricFamily[];
}
