import { describe, expect, it } from 'vitest'
import { createUser, updateCompanyUser, type UserRow } from '#contract/users.ts'
import { checkUser, getLockedFields, userStatus } from '#domain/accounts/users.ts'
import {
  conflictFields,
  toUserFields,
  fromFormValues,
  needsConnection,
  emptyUserFields,
  toFormValues,
  getLockReason,
} from '#features/users/form/user-form.ts'
import { getChanges, rebaseValues } from '#patterns/edit-form/form-values.ts'

const row: UserRow = {
  id: 7,
  name: 'Li Wei',
  email: 'li@acme.example',
  title: 1,
  admin: false,
  order: true,
  alert: false,
  status: 0,
  avatar: null,
  language: 'en',
  access_level: 0,
  company_id: 2,
  company_name: 'Acme',
  company_code: 'acme',
  create_time: '2026-01-01 00:00:00',
  update_time: '2026-01-02 00:00:00',
  row_version: 3,
}
const fields = Object.keys(emptyUserFields) as (keyof typeof emptyUserFields)[]

describe('the values of the form', () => {
  it('are text where an input needs text, and are converted back unchanged', () => {
    const userFields = { ...toUserFields(row), title: 2 as const, access_level: 100 as const }
    expect(toFormValues(userFields)).toMatchObject({ title: '2', access_level: '100' })
    expect(fromFormValues(toFormValues(userFields))).toEqual(userFields)
  })
})

describe('getChanges', () => {
  it('returns only changed fields', () => {
    expect(getChanges({ ...toUserFields(row), name: 'Li Wei Ming' }, toUserFields(row))).toEqual({
      name: 'Li Wei Ming',
    })
  })

  it('returns nothing if only spaces were added around a name', () => {
    const formFields = fromFormValues({ ...toFormValues(toUserFields(row)), name: ' Li Wei ' })
    expect(getChanges(formFields, toUserFields(row))).toEqual({})
  })

  it('never returns the e-mail or a locked field (portal 4)', () => {
    const changedFields = {
      ...emptyUserFields,
      title: 2 as const,
      name: 'X',
      email: 'x@y.zz',
      admin: true,
      alert: true,
    }
    const lockedFieldSet = getLockedFields({ status: 1 }, { isSelf: true })
    expect(getChanges(changedFields, toUserFields(row), lockedFieldSet)).toEqual({ order: false, alert: true })
  })
})

describe('checkUser', () => {
  it('requires a name and a valid e-mail for a new user (portal 5)', () => {
    expect(checkUser(emptyUserFields)).toEqual([
      { field: 'name', code: 'REQUIRED' },
      { field: 'email', code: 'REQUIRED' },
    ])
    expect(checkUser({ ...emptyUserFields, name: 'Li', email: 'li@' })).toEqual([
      { field: 'email', code: 'INVALID_EMAIL' },
    ])
  })

  it('ignores locked fields, which nobody could correct', () => {
    const importedFields = { ...toUserFields(row), name: '' }
    const lockedFieldSet = getLockedFields({ status: 1 }, { isSelf: false })
    expect(checkUser(getChanges(importedFields, toUserFields(row), lockedFieldSet))).toEqual([])
  })
})

describe('the reason of a locked field', () => {
  it.each([-2, -1, 0, 1] as const)('exists exactly for the fields that the rules lock, for status %i', (status) => {
    for (const isSelf of [true, false]) {
      const lockedFieldSet = getLockedFields({ status }, { isSelf })
      const explainedFields = fields.filter((field) => getLockReason(field, { status }, { isSelf }) !== null)
      expect(new Set(explainedFields)).toEqual(lockedFieldSet)
    }
  })

  it('is the same for name and title, because the drawer shows one sentence for both', () => {
    const listReasons = (isSelf: boolean) =>
      (['title', 'name'] as const).map((field) => getLockReason(field, { status: userStatus.activated }, { isSelf }))
    expect(listReasons(false)).toEqual(['activated', 'activated'])
    expect(listReasons(true)).toEqual(['ownName', 'ownName'])
  })
})

describe('needsConnection', () => {
  // `mustNotQueue` is typed for the input of its own endpoint. This test passes any body to it.
  const mustNotQueue = (endpoint: { queue?: unknown }, body: object) =>
    (endpoint.queue as { mustNotQueue: (input: { body: object }) => boolean }).mustNotQueue({ body })

  it.each([
    { admin: true },
    { admin: false },
    { access_level: 0 },
    { order: true },
    { name: 'Li', alert: false },
    {},
  ] as const)('returns whether the contract forbids queueing the change %o', (body) =>
    expect(needsConnection('change', body)).toBe(mustNotQueue(updateCompanyUser, body)),
  )

  it.each([{ admin: true }, { access_level: 0 }, { access_level: 100 }, {}] as const)(
    'returns whether the contract forbids queueing the new user %o',
    (body) => expect(needsConnection('create', body)).toBe(mustNotQueue(createUser, body)),
  )
})

describe('a row that another user has changed', () => {
  const serverRow: UserRow = { ...row, order: false, status: 1, row_version: 4 }

  it('lists the changed fields', () => {
    const changedFields = conflictFields.filter((field) => row[field] !== serverRow[field])
    expect(changedFields).toEqual(['order', 'status'])
  })

  it("keeps the user's input over the values of the server", () => {
    const ownValues = { ...toFormValues(toUserFields(row)), name: 'Li Wei Ming' }
    const [baseValues, currentValues] = [toFormValues(toUserFields(row)), toFormValues(toUserFields(serverRow))]
    expect(rebaseValues(ownValues, baseValues, currentValues)).toMatchObject({ name: 'Li Wei Ming', order: false })
  })
})
