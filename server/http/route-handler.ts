/**
 * What stands behind an endpoint. A use case runs inside a transaction that somebody else opened; a list is read in one of
 * three ways; a procedure sees to its own transactions, because it hashes, mails or has no caller.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { Caller } from '#domain/access.ts'
import type { Language } from '#domain/accounts/users.ts'
import type { Endpoint, ParsedInputOf, OutputOf } from '#contract/endpoint.ts'
import type { Principal } from '#server/http/authenticate.ts'
import type { DownloadKind } from '#server/http/download-slots.ts'
import type { UseCaseResponse, AppContext, ListUseCase, UseCase } from '#server/context/context.ts'
import type { RowChanges } from '#server/db/list-query.ts'

/** What a procedure may know of the request. */
export interface RequestContext {
  app: AppContext
  principal: Principal
  headers: IncomingHttpHeaders
  /** With its query. */
  url: string
  /** The body as it came: what a signature is over. */
  rawBody: Buffer
  address: string
  now: number
  requestId: string
  language: Language
  /** Counts one write of a batch. Throws RATE_LIMITED. */
  countWrite: () => Promise<void>
  /** Nobody waits for the rest any more: the socket is closed, or the server is about to. */
  isStopped: () => boolean
  /** Runs `action` if the response does not leave this server completely, or has a status of 500 or more. */
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

/** The response to HEAD, for a GET that changes something or opens a stream. Without one HEAD runs the procedure. */
export type HeadHandler<E extends Endpoint> = (
  context: RequestContext,
  input: ParsedInputOf<E>,
) => Promise<{ status?: number; headers?: Record<string, string> }>

/** Which of the downloads that are limited in number it is. */
export type SelectDownloadKind<E extends Endpoint> = (input: ParsedInputOf<E>) => DownloadKind

/**
 * What is worked out of the input before the transaction begins, because it takes long and reads no row: a file that is
 * decoded. The use case is given what comes out. It is done for a repeat as well, and only for who is signed in.
 */
export type PrepareInput<E extends Endpoint> = (input: ParsedInputOf<E>, caller: Caller) => Promise<ParsedInputOf<E>>

// The table's walker hands each handler what that endpoint's own schemas parsed, so the types meet again there.
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
