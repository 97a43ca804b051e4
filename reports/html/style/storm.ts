import { html } from '../template.ts';

/** Tables of names and sentences. */
export const STORM_STYLE = html`<style>
  .named th[scope='row'] {
    overflow-wrap: normal;
    min-width: 7rem;
  }
  .named th[scope='col'] {
    width: 14rem;
  }
  .named th[scope='col'] + th {
    width: auto;
  }
  .tried th[scope='row'] {
    min-width: 16rem;
  }
  .tried details .card {
    margin-top: 0.6rem;
  }
  @media (max-width: 40rem) {
    .named th[scope='col'] {
      width: 7rem;
    }
    .named :is(th, td) {
      padding-inline: 0.7rem;
    }
    .tried th[scope='row'] {
      min-width: 11rem;
    }
  }
</style>`;
