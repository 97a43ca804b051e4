import { answerWith, type Answer } from '../service/answer.ts';
import { withHeader, withoutHeader } from './response-changes.ts';
import type { ServiceParts } from '../service/service.ts';

/** The value of an answer's own field of that name. */
export function fieldOf({ headers }: Pick<Answer, 'headers'>, name: string): string | undefined {
  const at = headers.findIndex((field, index) => index % 2 === 0 && field === name);
  return at === -1 ? undefined : headers[at + 1];
}

export function withoutField(answer: Answer, name: string): Answer {
  const { headers } = answer;
  return { ...answer, headers: headers.filter((_, index) => headers[index - (index % 2)] !== name) };
}

/** Replaces or appends a field. */
export function withField(answer: Answer, name: string, value: string): Answer {
  const bare = withoutField(answer, name);
  return { ...bare, headers: [...bare.headers, name, value] };
}

/** Replaces the content of an answer; needs `letAnswersChooseMediaType`. */
export function withContent(answer: Answer, mediaType: string, text: string): Answer {
  const { headers } = withField(answer, 'Content-Type', mediaType);
  return answerWith(answer.status, text, headers);
}

/** An answer's own Content-Type then takes the place of the renderer's; an empty one leaves the field out. */
export function letAnswersChooseMediaType({ render }: ServiceParts): Partial<ServiceParts> {
  return {
    render: (answer, limit, now) => {
      const response = render(answer, limit, now);
      const mediaType = fieldOf(answer, 'Content-Type');
      if (mediaType === undefined) {
        return response;
      }
      // The renderer appends the answer's own fields to those of every response.
      const bare = withoutHeader(response, 'Content-Type');
      return mediaType === '' ? bare : withHeader(bare, 'Content-Type', mediaType);
    },
  };
}
