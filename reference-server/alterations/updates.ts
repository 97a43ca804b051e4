import { setTimeout as sleep } from 'node:timers/promises';

import { type JsonValue, isJsonObject } from '../../contract/json/index.ts';
import type { Alteration } from './alteration.ts';
import { bytesOf, rereadable } from './requests.ts';
import { type Answer, answerError } from '../service/answer.ts';
import { decodeJson } from '../service/inventory-update.ts';
import type { ServiceParts } from '../service/service.ts';

/** A request to update an entry: the petId as a path segment, and the content, which can be read any number of times. */
interface UpdateRequest {
  readonly segment: string;
  readonly readBytes: () => Promise<Uint8Array>;
}

/**
 * Changes the answers to updates after they were carried out or refused.
 * @param start called once for each server; what it holds is the state of that server
 */
export function changeUpdateAnswers(
  start: (parts: ServiceParts) => (answer: Answer, request: UpdateRequest) => Answer | Promise<Answer>,
): Alteration {
  return {
    answers: (answers, parts) => {
      const change = start(parts);
      return {
        updateInventory: async (request, segment) => {
          const again = rereadable(request);
          const answer = await answers.updateInventory(again, segment);
          return change(answer, { segment, readBytes: () => bytesOf(again) });
        },
      };
    },
  };
}

/** Refuses some bad bodies with another status than 400. */
export function refuseWith(status: number, isMeant: (bytes: Uint8Array) => boolean): Alteration {
  return changeUpdateAnswers(({ representation }) => async (answer, { readBytes }) => {
    const isOther = answer.status === 400 && isMeant(await readBytes());
    const message = 'The request body is not accepted.';
    return isOther ? answerError(representation, { code: 'unacceptable_body', message, status }) : answer;
  });
}

/** Answers 500 to updates with some bodies. */
export function failOn(pattern: RegExp): Alteration {
  const error = { code: 'internal', message: 'Something went wrong.', status: 500 };
  return changeUpdateAnswers(
    ({ representation }) =>
      async (answer, { readBytes }) =>
        pattern.test(bodyText(await readBytes())) ? answerError(representation, error) : answer,
  );
}

/** The quantity to set, `keep` to leave it and answer as if it had been set, or `undefined` to refuse. */
export type Leniency = number | 'keep' | undefined;

/** Accepts some bodies that the reference refuses. */
export function acceptBodies(judge: (bytes: Uint8Array) => Leniency): Alteration {
  return {
    parts: ({ readUpdate, inventory }) => ({
      readUpdate: (bytes) => {
        const reading = readUpdate(bytes);
        const leniency = 'problem' in reading ? judge(bytes) : undefined;
        if (leniency === undefined) {
          return reading;
        }
        return { quantity: leniency === 'keep' ? Number.NaN : leniency };
      },
      inventory: {
        ...inventory,
        setQuantity: (petId, quantity) =>
          Number.isNaN(quantity) ? inventory.find(petId) : inventory.setQuantity(petId, quantity),
      },
    }),
  };
}

/** Accepts some values of quantity that the reference refuses. */
export function acceptQuantities(judge: (value: JsonValue) => Leniency): Alteration {
  return acceptBodies((bytes) => {
    const value = quantityIn(bytes);
    return value === undefined ? undefined : judge(value);
  });
}

/** The value of quantity in a body that is a JSON object. */
export function quantityIn(bytes: Uint8Array): JsonValue | undefined {
  const body = decodeJson(bytes);
  return isJsonObject(body) ? body['quantity'] : undefined;
}

export function isMissingQuantity(bytes: Uint8Array): boolean {
  const body = decodeJson(bytes);
  return isJsonObject(body) && body['quantity'] === undefined;
}

export function isFraction(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && !Number.isInteger(value);
}

export function bodyText(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString();
}

export function isNoJson(bytes: Uint8Array): boolean {
  return decodeJson(bytes) === undefined;
}

/** Changes the 404 to an update of an unknown pet whose petId is an int64. */
export function changeUnknownPetAnswers(
  start: (parts: ServiceParts) => (answer: Answer, petId: bigint) => Answer,
): Alteration {
  return changeUpdateAnswers((parts) => {
    const change = start(parts);
    return (answer, { segment }) => {
      const petId = parts.readPetId(segment);
      return answer.status === 404 && petId !== undefined ? change(answer, petId) : answer;
    };
  });
}

const UPDATE_MILLISECONDS = 3;

/** Answers updates some milliseconds later, as a database would, so that other requests can come in between. */
export const answerUpdatesLater: NonNullable<Alteration['answers']> = ({ updateInventory }) => ({
  updateInventory: async (request, petId) => {
    const answer = await updateInventory(request, petId);
    await sleep(UPDATE_MILLISECONDS);
    return answer;
  },
});
