/** How an option is written, such as `--ramp-up` for `rampUp`. */
export function optionName(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
