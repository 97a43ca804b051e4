import { html } from '../template.ts';

/** A page on paper: everything is unfolded and fits, and nothing is there to press. */
export const PAPER_STYLE = html`<style>
  @media print {
    body {
      background: none;
      font-size: 10pt;
    }
    .wrap {
      max-width: none;
      padding: 0;
    }
    /* The plots show the same as the seconds, and report.json has it. */
    .choice,
    .skip,
    .seconds,
    button {
      display: none !important;
    }
    .with-button > pre {
      padding-right: 0.75rem;
    }
    .requirement {
      content-visibility: visible;
    }
    .scenario {
      grid-template-columns: minmax(0, 1fr);
    }
    .plots {
      grid-template-columns: 1fr 1fr;
    }
    .requirement,
    .finding,
    .plot,
    .chart,
    .box,
    .seen > li,
    tr {
      break-inside: avoid;
    }
    h2,
    h3 {
      break-after: avoid;
    }
    details::details-content {
      content-visibility: visible;
      display: block;
      height: auto;
    }
    .scenario details:not([open]) {
      display: block;
    }
    pre,
    .scroll {
      max-height: none;
    }
    .figures,
    .scroll,
    .chart-frame {
      overflow: visible;
    }
    .chart,
    .figures :is(th, td) {
      min-width: 0 !important;
    }
    :is(.figures, .reports) :is(th, td),
    .figures .badge,
    .plot :is(figcaption, .inline) {
      font-size: 7.5pt;
    }
    .figures :is(th, td) {
      padding: 0.15rem 0.35rem;
      white-space: normal;
    }
    .scroll :is(thead, tr > :first-child) {
      position: static !important;
    }
    * {
      print-color-adjust: exact;
    }
  }
</style>`;
