import type { InventoryItem } from '../../contract/inventory.ts';
import { answerError, answerWith, type Answer, type Representation, httpDate } from './answer.ts';
import type { InventoryStore } from './inventory-store.ts';
import type { UpdateReader } from './inventory-update.ts';
import type { BodyReading, ServiceRequest } from './messages.ts';
import type { RoutedOperation } from './router.ts';

/** Answers one operation; `petId` is the decoded path segment, '' if the path has none. */
type Handler = (request: ServiceRequest, petId: string) => Answer | Promise<Answer>;

export type Handlers = Readonly<Record<RoutedOperation, Handler>>;

/** When `GET /pets/{petId}` was deprecated and when it goes away; RFC 9745, section 2.1 and RFC 8594, section 3. */
const DEPRECATED = [
  'Deprecation',
  `@${Date.UTC(2026, 0, 1) / 1_000}`,
  'Sunset',
  httpDate(Date.UTC(2028, 0, 1) / 1_000),
] as const;

export interface HandlerParts {
  readonly inventory: InventoryStore;
  /** Reads a petId from a decoded path segment; `undefined` if it cannot be one. */
  readonly readPetId: (segment: string) => bigint | undefined;
  readonly readUpdate: UpdateReader;
  readonly representation: Representation;
}

/** The four operations; section "Endpoints". */
export function createHandlers(parts: HandlerParts): Handlers {
  const { inventory, readPetId, readUpdate, representation } = parts;
  const inventoryAnswer = rememberAnswer(inventory, representation.inventory);
  const ordersAnswer = rememberAnswer(inventory, representation.orders);

  function findPet(segment: string): InventoryItem | undefined {
    const petId = readPetId(segment);
    return petId === undefined ? undefined : inventory.find(petId);
  }

  function unknownPet(headers?: readonly string[]): Answer {
    const error = { code: 'pet_not_found', message: 'No pet has this petId.', status: 404 };
    return answerError(representation, error, headers);
  }

  async function updateInventory(request: ServiceRequest, segment: string): Promise<Answer> {
    const item = findPet(segment);
    if (item === undefined) {
      return unknownPet();
    }
    const reading = await request.readBody();
    if (reading.state !== 'complete') {
      return answerError(representation, unreadable(reading));
    }
    const update = readUpdate(reading.bytes);
    if ('problem' in update) {
      return answerError(representation, { ...update.problem, status: 400 });
    }
    const updated = inventory.setQuantity(item.petId, update.quantity);
    return updated === undefined ? unknownPet() : answerWith(200, representation.item(updated));
  }

  return {
    listInventory: inventoryAnswer,
    listOrders: ordersAnswer,
    getPet: (_request, segment) => {
      const item = findPet(segment);
      return item === undefined
        ? unknownPet(DEPRECATED)
        : answerWith(200, representation.pet(item), DEPRECATED);
    },
    updateInventory,
  };
}

/** Makes the answer anew only after a write. */
function rememberAnswer(
  inventory: InventoryStore,
  represent: (items: readonly InventoryItem[]) => string,
): () => Answer {
  let answer: Answer | undefined;
  let version = Number.NaN;
  return () => {
    const current = inventory.version();
    if (answer === undefined || current !== version) {
      answer = answerWith(200, represent(inventory.list()));
      version = current;
    }
    return answer;
  };
}

function unreadable(reading: Exclude<BodyReading, { state: 'complete' }>) {
  return reading.state === 'too-large'
    ? {
        code: 'body_too_large',
        message: `The request body has more than ${reading.maximumBytes} bytes.`,
        status: 413,
      }
    : { code: 'malformed_request', message: 'The request body is not framed as HTTP says.', status: 400 };
}
