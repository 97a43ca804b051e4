/**
 * The part of echarts that is used here. The library's own types need those of a browser.
 * Its single file loads in a tenth of the time that its many modules take.
 */
declare module 'echarts/dist/echarts.esm.min.mjs' {
  interface Chart {
    setOption(option: object): void;
    renderToSVGString(): string;
    dispose(): void;
  }

  interface ServerOptions {
    readonly renderer: 'svg';
    readonly ssr: true;
    /** In user units of the drawing. */
    readonly width: number;
    readonly height: number;
  }

  export function init(element: null, theme: null, options: ServerOptions): Chart;
}
