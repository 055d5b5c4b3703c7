/**
 * Defines the handlers of endpoints. A use case runs in a transaction opened by its caller. A list is read as pages, as changes or as a
 * stream. A procedure manages its own transactions, because it hashes passwords, sends mail or has no caller.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { Caller } from '#domain/access.ts'
import type { Language } from '#domain/accounts/users.ts'
import type { Endpoint, ParsedInputOf, OutputOf } from '#contract/endpoint.ts'
import type { Principal } from '#server/http/authenticate.ts'
import type { DownloadKind } from '#server/http/download-slots.ts'
import type { UseCaseResponse, AppContext, ListUseCase, UseCase } from '#server/context/context.ts'
import type { RowChanges } from '#server/db/list-query.ts'

export interface RequestContext {
  app: AppContext
  principal: Principal
  headers: IncomingHttpHeaders
  url: string
  /** The unchanged body, over which signatures are computed. */
  rawBody: Buffer
  address: string
  now: number
  requestId: string
  language: Language
  countWrite: () => Promise<void>
  /** True if nobody waits for the response: the socket is closed, or the server is about to close. */
  isStopped: () => boolean
  /** Runs `action` if the response is not completely sent, or has a status of 500 or more. */
  onUndelivered: (action: () => Promise<void>) => void
}

export interface ProcedureResponse<O> extends UseCaseResponse<O> {
  cookies?: string[]
}
export type EndpointProcedure<E extends Endpoint> = (
  context: RequestContext,
  input: ParsedInputOf<E>,
) => Promise<ProcedureResponse<OutputOf<E>>>

export type ListChanges = RowChanges<{ id: number }>

export type EndpointHandler =
  | { kind: 'use-case'; endpoint: Endpoint; useCase: UseCase<Endpoint>; prepare: PrepareInput<Endpoint> | null }
  | { kind: 'list'; endpoint: Endpoint; list: ListUseCase<Endpoint> }
  | {
      kind: 'procedure'
      endpoint: Endpoint
      procedure: EndpointProcedure<Endpoint>
      head: HeadHandler<Endpoint> | null
      download: SelectDownloadKind<Endpoint> | null
    }

/** Handles HEAD for a GET that changes something or opens a stream. Without this handler HEAD runs the procedure. */
export type HeadHandler<E extends Endpoint> = (
  context: RequestContext,
  input: ParsedInputOf<E>,
) => Promise<{ status?: number; headers?: Record<string, string> }>

export type SelectDownloadKind<E extends Endpoint> = (input: ParsedInputOf<E>) => DownloadKind

/**
 * Does slow work on the input that needs no database, such as decoding a file, and returns the input for the use case. Runs before the
 * transaction, also for repeated requests, and only for signed-in users.
 */
export type PrepareInput<E extends Endpoint> = (
  input: ParsedInputOf<E>,
  caller: Caller,
  app: AppContext,
) => Promise<ParsedInputOf<E>>

// The casts are safe: each handler gets the input that its own endpoint's schemas have parsed.
export const createUseCaseHandler = <E extends Endpoint>(
  endpoint: E,
  useCase: UseCase<E>,
  prepare?: PrepareInput<E>,
): EndpointHandler => ({
  kind: 'use-case',
  endpoint,
  useCase: useCase as unknown as UseCase<Endpoint>,
  prepare: (prepare as unknown as PrepareInput<Endpoint> | undefined) ?? null,
})

export const createListHandler = <E extends Endpoint>(endpoint: E, list: ListUseCase<E>): EndpointHandler => ({
  kind: 'list',
  endpoint,
  list: list as unknown as ListUseCase<Endpoint>,
})

export const createProcedureHandler = <E extends Endpoint>(
  endpoint: E,
  procedure: EndpointProcedure<E>,
  { head, download }: { head?: HeadHandler<E>; download?: SelectDownloadKind<E> } = {},
): EndpointHandler => ({
  kind: 'procedure',
  endpoint,
  procedure: procedure as unknown as EndpointProcedure<Endpoint>,
  head: (head as unknown as HeadHandler<Endpoint> | undefined) ?? null,
  download: (download as unknown as SelectDownloadKind<Endpoint> | undefined) ?? null,
})
