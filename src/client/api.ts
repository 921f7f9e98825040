import createApi, {
  type Client,
  type ClientPathsWithMethod,
  type MaybeOptionalInit,
  type MethodResponse,
  type ParseAs,
} from 'openapi-fetch'
import type { paths } from './contract-types.js'

type Method = 'get' | 'put' | 'post' | 'patch' | 'delete'
type Service = Client<paths>

/** What a request has besides its path. It is not inferred, so that a misspelt field does not compile. */
type Rest<Init, As extends ParseAs> = undefined extends Init
  ? [init?: Init & { parseAs?: As }]
  : [init: Init & { parseAs?: As }]

/** Sends a request of the contract. Throws the ApiError of an answer that is not a success. */
type Call<M extends Method> = <
  Path extends ClientPathsWithMethod<Service, M>,
  As extends ParseAs = 'json',
>(
  path: Path,
  ...rest: Rest<MaybeOptionalInit<paths[Path], M>, As>
) => Promise<{ data: MethodResponse<Service, M, Path, { parseAs: As }>; response: Response }>

/** The operations of the contract, by method and path. */
export type Api = { [M in Method as Uppercase<M>]: Call<M> }

export type Send = (request: Request) => Promise<Response>

/**
 * Returns the operations over a `send` that throws each error. The types of openapi-fetch cannot
 * know that, and expect an `error` in every answer.
 */
export const createApiOn = (baseUrl: string, send: Send) =>
  createApi<paths>({ baseUrl, fetch: send }) as unknown as Api
