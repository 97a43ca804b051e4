import { setTimeout as sleep } from 'node:timers/promises';

import type { InventoryItem } from '../../contract/inventory.ts';
import { type JsonValue, isJsonObject } from '../../contract/json/index.ts';
import type { Alteration } from './alteration.ts';
import { answerInstead } from './answers.ts';
import { bytesOf, rereadable } from './requests.ts';
import type { Answer } from '../service/answer.ts';
import { decodeJson } from '../service/inventory-update.ts';
import type { ServiceRequest } from '../service/messages.ts';
import type { ServiceParts } from '../service/service.ts';

/** A request to update an entry. */
interface UpdateRequest {
  /** `undefined` if the path names none. */
  readonly petId: bigint | undefined;
  /** What was in the store before it. */
  readonly before: InventoryItem | undefined;
  /** The content, any number of times. */
  readonly readBytes: () => Promise<Uint8Array>;
  readonly request: ServiceRequest;
}

/** Changes the answers to updates after they were carried out or refused. */
export function changeUpdateAnswers(
  change: (answer: Answer, request: UpdateRequest, parts: ServiceParts) => Answer | Promise<Answer>,
): Alteration {
  return {
    answers: ({ updateInventory }, parts) => ({
      updateInventory: async (request, segment) => {
        const again = rereadable(request);
        const petId = parts.readPetId(segment);
        const before = petId === undefined ? undefined : parts.inventory.find(petId);
        const answer = await updateInventory(again, segment);
        return change(answer, { petId, before, readBytes: () => bytesOf(again), request }, parts);
      },
    }),
  };
}

/** Refuses some bad bodies with another status than 400. */
export function refuseWith(status: number, isMeant: (bytes: Uint8Array) => boolean): Alteration {
  return changeUpdateAnswers(async (answer, { readBytes }, parts) =>
    answer.status === 400 && isMeant(await readBytes()) ? answerInstead(status, parts) : answer,
  );
}

/** Answers 500 to updates with some bodies. */
export function failOn(pattern: RegExp): Alteration {
  return changeUpdateAnswers(async (answer, { readBytes }, parts) =>
    pattern.test(bodyText(await readBytes())) ? answerInstead(500, parts) : answer,
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
  change: (answer: Answer, petId: bigint, parts: ServiceParts) => Answer,
): Alteration {
  return changeUpdateAnswers((answer, { petId }, parts) =>
    answer.status === 404 && petId !== undefined ? change(answer, petId, parts) : answer,
  );
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
