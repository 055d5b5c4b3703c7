/** Notes of the provider's staff about a customer. No call of a customer returns them. */
import * as z from 'zod/mini'
import { defineEndpoint } from '#contract/endpoint.ts'
import { paragraph, rowId, timestamp } from '#contract/values.ts'

export const noteLimit = 4000

/** A blank text is refused by the use case. */
const noteText = paragraph(noteLimit)
const noteRow = z.object({
  id: z.int(),
  author_id: z.int(),
  author_name: z.string(),
  text: z.string(),
  create_time: timestamp,
  /** Null if the note was never edited. */
  edit_time: z.nullable(timestamp),
  row_version: z.int(),
})
export type CustomerNoteRow = z.output<typeof noteRow>

const staffAccess = { access: 'providerOrder', matrix: 'Z-17' } as const
const ofCustomer = z.object({ companyId: rowId })
const oneNote = z.object({ companyId: rowId, id: rowId })

/** Newest first. A customer has at most 500 notes. */
export const listCustomerNotes = defineEndpoint({
  ...staffAccess,
  name: 'listCustomerNotes',
  method: 'GET',
  path: '/api/customer/:companyId/note',
  summary: "Lists the notes of the provider's staff about a customer",
  params: ofCustomer,
  output: z.array(noteRow),
  offline: 'read',
})

export const createCustomerNote = defineEndpoint({
  ...staffAccess,
  name: 'createCustomerNote',
  method: 'POST',
  path: '/api/customer/:companyId/note',
  summary: 'Adds a note about a customer',
  params: ofCustomer,
  body: z.object({ text: noteText }),
  output: noteRow,
  offline: 'online',
})

/** `row_version` is the version that the user saw. The call fails with VERSION_CONFLICT if the note has changed since. */
export const updateCustomerNote = defineEndpoint({
  ...staffAccess,
  name: 'updateCustomerNote',
  method: 'PUT',
  path: '/api/customer/:companyId/note/:id',
  summary: 'Changes a note about a customer; only its author and provider admins may',
  params: oneNote,
  body: z.object({ text: noteText, row_version: rowId }),
  output: noteRow,
  offline: 'online',
})

/** `row_version` is the version that the user saw, as for a change. */
export const deleteCustomerNote = defineEndpoint({
  ...staffAccess,
  name: 'deleteCustomerNote',
  method: 'DELETE',
  path: '/api/customer/:companyId/note/:id',
  summary: 'Deletes a note about a customer; only its author and provider admins may',
  params: oneNote,
  query: z.object({ row_version: rowId }),
  output: null,
  offline: 'online',
})
