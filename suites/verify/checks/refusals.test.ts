import { asInteger, isJsonObject, parseIfJson } from '../../../contract/json/index.ts';
import { testChecks } from './judge-scripted.test-data.ts';
import { badBodies, moreBadBodies, moreUnknownPets, refusalsAlone, unknownPetCheck } from './refusals.ts';
import type { Rules } from './scripted-target.test-data.ts';
import { carriedOutThough, silentFor, withText } from './target-changes.test-data.ts';

/** Any petId will do. */
const created = ({ find }: Pick<Rules, 'find'>): Pick<Rules, 'find'> => ({
  find: (id) =>
    find(id) ?? (/^\d+$/.test(id) ? { petId: BigInt(id), quantity: 1, status: 'available' } : undefined),
});

testChecks(
  [badBodies, moreBadBodies, unknownPetCheck, moreUnknownPets, refusalsAlone],
  [
    [
      'update-missing-quantity',
      'it is 0 then',
      ({ quantityOf }) => ({
        quantityOf: (call) => {
          const body = parseIfJson(call.body);
          return isJsonObject(body) && !('quantity' in body) ? 0 : quantityOf(call);
        },
      }),
    ],
    [
      'update-invalid-quantity',
      'a string of digits will do',
      ({ quantityOf }) => ({
        quantityOf: (call) => quantityOf({ ...call, body: call.body.replaceAll(/"(\d+)"/g, '$1') }),
      }),
    ],
    [
      'update-malformed-body',
      'a number will do',
      ({ quantityOf }) => ({ quantityOf: (call) => asInteger(parseIfJson(call.body)) ?? quantityOf(call) }),
    ],
    [
      'update-malformed-body',
      'what is not JSON is never answered',
      silentFor(({ method, body }) => method === 'PATCH' && parseIfJson(body) === undefined),
    ],
    [
      'update-malformed-body',
      'what is not JSON sets it to 0',
      ({ quantityOf }) => ({
        quantityOf: (call) => (parseIfJson(call.body) === undefined ? 0 : quantityOf(call)),
      }),
    ],
    ['update-unknown-pet', 'it is created', created],
    [
      'update-exact-pet',
      'a petId is a double',
      (_rules, { pets }) => ({
        find: (id) => [...pets.values()].find(({ petId }) => Number(petId) === Number(id)),
      }),
    ],
    [
      'update-exact-pet',
      'a petId is cut to 64 bits',
      ({ find }) => ({ find: (id) => find(/^-?\d+$/.test(id) ? `${BigInt.asIntN(64, BigInt(id))}` : id) }),
    ],
    [
      'update-exact-pet',
      'a zero at the beginning makes a petId octal',
      ({ find }) => ({ find: (id) => find(/^0[0-7]+$/.test(id) ? `${BigInt(`0o${id}`)}` : id) }),
    ],
    ['refused-changes-nothing', 'an update is carried out all the same', carriedOutThough(400)],
    ['error-code', 'it is a number', withText(/"code":"\w+"/g, '"code":1')],
    ['error-message', 'it is missing', withText(/"message"/g, '"text"')],
    ['error-status', 'it is another', withText(/"status":4\d\d/g, '"status":418')],
  ],
);
