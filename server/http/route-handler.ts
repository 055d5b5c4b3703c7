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
import type { Answer, UseCaseContext, AppContext, UseCase } from '#server/context/context.ts'

/** What a procedure may know of the request. */
export interface RequestContext {
  app: AppContext
  principal: Principal
  headers: IncomingHttpHeaders
  /** With its query. */
  url: string
  /** The body as it came: what a signature is over. */
  raw: Buffer
  address: string
  now: number
  requestId: string
  language: Language
  /** Counts one write of a batch. Throws RATE_LIMITED. */
  countWrite: () => Promise<void>
  /** Nobody waits for the rest any more: the socket is closed, or the server is about to. */
  stopped: () => boolean
  /** Runs `action` if the response does not leave this server completely, or has a status of 500 or more. */
  onUndelivered: (action: () => Promise<void>) => void
}

export interface ProcedureAnswer<O> extends Answer<O> {
  cookies?: string[]
}
export type Procedure<E extends Endpoint> = (
  visit: RequestContext,
  input: ParsedInputOf<E>,
) => Promise<ProcedureAnswer<OutputOf<E>>>

/** A list's rows: a page of them, what changed since a number, and all of them in pieces by id for the stream. */
export interface ListUseCase<E extends Endpoint> {
  /** The newest number, where its rows are not counted with the caller's company. */
  changeNow?: (context: UseCaseContext, input: ParsedInputOf<E>) => Promise<number>
  page: UseCase<E>
  /** Throws GONE where the number is older than what is remembered. */
  changes: (context: UseCaseContext, input: ParsedInputOf<E>, since: number | null) => Promise<Changes>
  rowsAfter: (context: UseCaseContext, input: ParsedInputOf<E>, id: number, most: number) => Promise<{ id: number }[]>
}
export interface Changes {
  changed: { id: number }[]
  gone: number[]
  upto: number
}

export type Handler =
  | { kind: 'use-case'; endpoint: Endpoint; useCase: UseCase<Endpoint>; prepare: Prepare<Endpoint> | null }
  | { kind: 'list'; endpoint: Endpoint; list: ListUseCase<Endpoint> }
  | {
      kind: 'procedure'
      endpoint: Endpoint
      procedure: Procedure<Endpoint>
      head: HeadOf<Endpoint> | null
      download: DownloadOf<Endpoint> | null
    }

/** The response to HEAD, for a GET that changes something or opens a stream. Without one HEAD runs the procedure. */
export type HeadOf<E extends Endpoint> = (
  visit: RequestContext,
  input: ParsedInputOf<E>,
) => Promise<{ status?: number; headers?: Record<string, string> }>

/** Which of the downloads that are limited in number it is. */
export type DownloadOf<E extends Endpoint> = (input: ParsedInputOf<E>) => DownloadKind

/**
 * What is worked out of the input before the transaction begins, because it takes long and reads no row: a file that is
 * decoded. The use case is given what comes out. It is done for a repeat as well, and only for who is signed in.
 */
export type Prepare<E extends Endpoint> = (input: ParsedInputOf<E>, caller: Caller) => Promise<ParsedInputOf<E>>

// The table's walker hands each handler what that endpoint's own schemas parsed, so the types meet again there.
export const useCaseHandler = <E extends Endpoint>(
  endpoint: E,
  useCase: UseCase<E>,
  prepare?: Prepare<E>,
): Handler => ({
  kind: 'use-case',
  endpoint,
  useCase: useCase as unknown as UseCase<Endpoint>,
  prepare: (prepare as unknown as Prepare<Endpoint> | undefined) ?? null,
})

export const listHandler = <E extends Endpoint>(endpoint: E, list: ListUseCase<E>): Handler => ({
  kind: 'list',
  endpoint,
  list: list as unknown as ListUseCase<Endpoint>,
})

export const procedureHandler = <E extends Endpoint>(
  endpoint: E,
  procedure: Procedure<E>,
  { head, download }: { head?: HeadOf<E>; download?: DownloadOf<E> } = {},
): Handler => ({
  kind: 'procedure',
  endpoint,
  procedure: procedure as unknown as Procedure<Endpoint>,
  head: (head as unknown as HeadOf<Endpoint> | undefined) ?? null,
  download: (download as unknown as DownloadOf<Endpoint> | undefined) ?? null,
})
