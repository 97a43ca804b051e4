import type { Alteration, Row } from '../alterations/alteration.ts';

/** A choice that the specification permits and the reference does not take. */
export interface VariantOf<Freedom extends string> {
  /** In words joined by hyphens. */
  readonly id: string;
  /** What is different, in a sentence without a stop. */
  readonly title: string;
  /** What the specification leaves open there; a server makes one choice of each. */
  readonly freedom: Freedom;
  /** Takes long to judge since it answers late. */
  readonly isSlow?: true;
  /** In real time it is no freedom: what it tells to wait for takes longer than it says. */
  readonly onlyWithControl?: true;
  readonly alter: Alteration;
}

type Choice = Row<Pick<VariantOf<string>, 'isSlow' | 'onlyWithControl'>>;

type Choices = Readonly<Record<string, Choice>>;

/** The variants of an area: by freedom and by id, what is different there. */
export function permitting<Table extends Readonly<Record<string, Choices>>>(
  freedoms: Table,
): readonly VariantOf<Extract<keyof Table, string>>[] {
  const variants: VariantOf<Extract<keyof Table, string>>[] = [];
  for (const freedom in freedoms) {
    for (const [id, [title, alter, marks]] of Object.entries<Choice>(freedoms[freedom] ?? {})) {
      variants.push({ id, title, freedom, alter, ...marks });
    }
  }
  return variants;
}
