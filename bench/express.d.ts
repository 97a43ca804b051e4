/** As much of Express 5 as the bench and the types of express-rate-limit name; Express brings no types. */
declare module 'express' {
  import type { IncomingMessage, Server, ServerResponse } from 'node:http';

  export interface Request extends IncomingMessage {
    readonly ip?: string;
  }

  export interface Response extends ServerResponse {
    status(code: number): this;
    json(value: object): this;
  }

  export type NextFunction = (error?: unknown) => void;

  export type RequestHandler = (request: Request, response: Response, next: NextFunction) => unknown;

  export interface Application {
    disable(setting: string): this;
    set(setting: string, value: unknown): this;
    use(handler: RequestHandler): this;
    get(path: string, handler: RequestHandler): this;
    listen(port: number, host: string, listening: () => void): Server;
  }

  export default function express(): Application;
}
