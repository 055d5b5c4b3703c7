/** Every kind of long request, by the name that its endpoint gives in `relays`. */
import type { Endpoint } from '#contract/endpoint.ts'
import { endpoints } from '#contract/index.ts'
import type { Progress } from '#server/services/jobs.ts'
import type { MailDriver } from '#server/drivers/mail/driver.ts'
import type { House } from '#server/house.ts'
import { lookAfterPayments, reconcileJob, reconcilePayments } from '#server/jobs/reconcile-payments.ts'
import { sendMail } from '#server/jobs/send-mail.ts'
import { tendJob, tendOrders } from '#server/jobs/tend-orders.ts'
import { verifyTrail } from '#server/jobs/verify-trail.ts'
import { mailJob } from '#server/services/mails.ts'
import { lookJob } from '#server/services/payment-looks.ts'

/** What a step is handed. It opens its own transactions, and holds none while it waits for anybody. */
export interface Work<I, P> {
  house: House
  /** As it was asked for. */
  input: I
  /** Where the last step ended; null: at the beginning. */
  point: P | null
}

export type Step<P, O> =
  /** So far. The next step begins at `point`, on this or another node, after a kill too. */
  { is: 'on'; point: P; percent: number; info?: Progress['info'] } | { is: 'done'; output: O }

export interface JobKind<I = unknown, P = unknown, O = unknown> {
  /**
   * Whether a step that a kill cut off may be done again. Where it may not, the job ends as INTERRUPTED, and a person
   * looks before it is started anew.
   */
  resumes: boolean
  /** Nobody asked for it: no answer is kept, nothing is told, and its row goes with its end. */
  quiet?: true
  /** How long to wait before a step that was tried so often is tried again, ms; null: it is given up. */
  wait?: (tries: number) => number | null
  /** Throws a ProblemError for what is to be its final answer. */
  step(work: Work<I, P>): Promise<Step<P, O>>
}

export type Kinds = Readonly<Record<string, JobKind>>

// A kind's input and point come back from the database as it wrote them: the types meet again there.
const kind = <I, P, O>(one: JobKind<I, P, O>) => one as unknown as JobKind

export const kinds: Kinds = { 'verify-trail': kind(verifyTrail()) }

/** Asked for by the clock and by no call. */
export const clockKinds: Kinds = { [tendJob]: kind(tendOrders()) }

/** Apart from the others, which must not wait for a gateway that takes its time. */
export const paymentKinds: Kinds = { [lookJob]: kind(lookAfterPayments()), [reconcileJob]: kind(reconcilePayments()) }

/** Apart from the others, which must not wait for a mail server that takes its time. */
export const mailKinds = (driver: MailDriver): Kinds => ({ [mailJob]: kind(sendMail(driver)) })

/** Whose answer a job of this kind gives. */
export const endpointOf = (name: string): Endpoint | undefined => endpoints.find(({ relays }) => relays === name)
