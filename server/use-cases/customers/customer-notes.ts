/** Notes of the provider's staff about customers (decision 107). Each change is in the provider's own audit trail, without the text. */
import { isProvider, isProviderAdmin } from '#domain/access.ts'
import { cleanText } from '#domain/text.ts'
import { toTimestamp } from '#domain/time.ts'
import * as contract from '#contract/staff/customer-notes.ts'
import { type CompanyRecord, findCompanyById } from '#server/db/accounts/companies.ts'
import { findUserById } from '#server/db/accounts/users.ts'
import * as notes from '#server/db/customers/customer-notes.ts'
import { isCustomerId } from '#server/db/customers/customers.ts'
import { runAsSystem } from '#server/db/tenant.ts'
import type { UseCase, UseCaseContext } from '#server/context/context.ts'
import {
  createForbiddenProblem,
  createNotFoundProblem,
  createValidationProblem,
  ProblemError,
  requireRow,
} from '#server/problems/problem-error.ts'

const toNoteRow = ({ app }: UseCaseContext, record: notes.CustomerNoteRecord): contract.CustomerNoteRow => ({
  id: record.id,
  author_id: record.author_id,
  author_name: record.author_name,
  text: record.note,
  create_time: toTimestamp(app.config.timeZone, record.create_time),
  edit_time: record.update_time === record.create_time ? null : toTimestamp(app.config.timeZone, record.update_time),
  row_version: record.row_version,
})

/** Throws NOT_FOUND if the caller is not of the provider's staff, or the company is no customer. */
async function requireCustomer({ db, caller }: UseCaseContext, id: number): Promise<CompanyRecord> {
  if (!isProvider(caller)) throw createNotFoundProblem()
  const customer = await runAsSystem(db, async () => ((await isCustomerId(db, id)) ? findCompanyById(db, id) : null))
  return requireRow(customer)
}

/** Throws VERSION_CONFLICT if the note is no longer the one that the user saw. */
function requireVersion(context: UseCaseContext, note: notes.CustomerNoteRecord, version: number): void {
  if (note.row_version !== version)
    throw new ProblemError('VERSION_CONFLICT', { current: toNoteRow(context, note), changed_by: null })
}

/** Locks a note until the commit. Throws NOT_FOUND, or FORBIDDEN if it is another user's and the caller is no provider admin. */
async function lockNote({ db, caller }: UseCaseContext, customerId: number, id: number) {
  const note = requireRow(await notes.lockCustomerNote(db, customerId, id))
  if (note.author_id !== caller.userId && !isProviderAdmin(caller)) throw createForbiddenProblem()
  return note
}

/** Throws VALIDATION_ERROR for a blank text, and for one that only becomes too long when it is converted to NFC. */
function parseNoteText(text: string): string {
  const note = cleanText(text)
  if (note === '') throw createValidationProblem([{ field: 'text', code: 'REQUIRED' }])
  if (note.length > contract.noteLimit)
    throw createValidationProblem([{ field: 'text', code: 'TOO_LONG', limit: contract.noteLimit }])
  return note
}

const auditNote = (
  context: UseCaseContext,
  operation: 'create' | 'update' | 'delete',
  customer: CompanyRecord,
  noteId: number,
) => context.audit({ code: 'company', operation, info: { CustomerCode: customer.code, NoteId: noteId } })

export const list: UseCase<typeof contract.listCustomerNotes> = async (context, { params }) => {
  const { id } = await requireCustomer(context, params.companyId)
  const records = await notes.listCustomerNotes(context.db, id)
  return { body: records.map((record) => toNoteRow(context, record)) }
}

export const create: UseCase<typeof contract.createCustomerNote> = async (context, { params, body }) => {
  const { db, caller, now } = context
  const customer = await requireCustomer(context, params.companyId)
  if ((await notes.listCustomerNotes(db, customer.id)).length >= notes.maxCustomerNotes)
    throw new ProblemError('STATE_CONFLICT', { why: 'tooManyNotes' })
  const author = requireRow(await findUserById(db, caller.companyId, caller.userId))
  const record = await notes.insertCustomerNote(db, {
    company_id: caller.companyId,
    customer_id: customer.id,
    author_id: caller.userId,
    author_name: author.name,
    note: parseNoteText(body.text),
    create_time: now,
    update_time: now,
  })
  await auditNote(context, 'create', customer, record.id)
  return { body: toNoteRow(context, record) }
}

export const update: UseCase<typeof contract.updateCustomerNote> = async (context, { params, body }) => {
  const customer = await requireCustomer(context, params.companyId)
  const noteBefore = await lockNote(context, customer.id, params.id)
  requireVersion(context, noteBefore, body.row_version)
  const fields = { note: parseNoteText(body.text), update_time: context.now }
  const record = await notes.updateCustomerNote(context.db, noteBefore.id, fields)
  await auditNote(context, 'update', customer, record.id)
  return { body: toNoteRow(context, record) }
}

export const remove: UseCase<typeof contract.deleteCustomerNote> = async (context, { params, query }) => {
  const customer = await requireCustomer(context, params.companyId)
  const note = await lockNote(context, customer.id, params.id)
  requireVersion(context, note, query.row_version)
  await notes.deleteCustomerNote(context.db, note.id)
  await auditNote(context, 'delete', customer, note.id)
  return { status: 204, body: null }
}
