import { describe, expect, it } from 'vitest'
import { createUser, updateCompanyUser, type UserRow } from '#contract/users.ts'
import { lockedFields, userStatus } from '#domain/accounts/users.ts'
import {
  changesOf,
  checkForm,
  differences,
  type Field,
  fieldsOf,
  fromValues,
  needsConnection,
  newFields,
  rebase,
  toValues,
  whyLocked,
} from '#features/users/form/user-form.ts'

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
const none = new Set<Field>()
const fields = Object.keys(newFields) as Field[]

describe('the form’s values', () => {
  it('are text where the controls hold text, and come back as they were', () => {
    const given = { ...fieldsOf(row), title: 2 as const, access_level: 100 as const }
    expect(toValues(given)).toMatchObject({ title: '2', access_level: '100' })
    expect(fromValues(toValues(given))).toEqual(given)
  })
})

describe('what an edit sends', () => {
  it('is only what was changed', () => {
    expect(changesOf({ ...fieldsOf(row), name: 'Li Wei Ming' }, fieldsOf(row), none)).toEqual({ name: 'Li Wei Ming' })
  })

  it('is nothing when only blanks were added around a name', () => {
    const typed = fromValues({ ...toValues(fieldsOf(row)), name: ' Li Wei ' })
    expect(changesOf(typed, fieldsOf(row), none)).toEqual({})
  })

  it('never holds the e-mail or a locked field (portal 4)', () => {
    const all = { ...newFields, title: 2 as const, name: 'X', email: 'x@y.zz', admin: true, alert: true }
    const locked = lockedFields({ status: 1 }, { self: true })
    expect(changesOf(all, fieldsOf(row), locked)).toEqual({ order: false, alert: true })
  })
})

describe('the checks of the form', () => {
  it('ask for name and a valid e-mail when a user is made (portal 5)', () => {
    expect(checkForm(newFields, none)).toEqual([
      { field: 'name', code: 'REQUIRED' },
      { field: 'email', code: 'REQUIRED' },
    ])
    expect(checkForm({ ...newFields, name: 'Li', email: 'li@' }, none)).toEqual([
      { field: 'email', code: 'INVALID_EMAIL' },
    ])
  })

  it('leave locked fields alone, which nobody could mend', () => {
    const imported = { ...fieldsOf(row), name: '' }
    expect(checkForm(imported, lockedFields({ status: 1 }, { self: false }))).toEqual([])
  })
})

describe('a locked field', () => {
  it.each([-2, -1, 0, 1] as const)('has a reason exactly where the rules lock it, status %i', (status) => {
    for (const self of [true, false]) {
      const locked = lockedFields({ status }, { self })
      const explained = fields.filter((field) => whyLocked(field, { status }, { self }) !== null)
      expect(new Set(explained)).toEqual(locked)
    }
  })

  it('are explained by what the profile can do: it has the name and not the title (portal 2)', () => {
    const reasons = (self: boolean) =>
      (['title', 'name'] as const).map((field) => whyLocked(field, { status: userStatus.activated }, { self }))
    expect(reasons(false)).toEqual(['activatedTitle', 'activated'])
    expect(reasons(true)).toEqual(['self', 'ownName'])
  })
})

describe('what cannot wait in the queue', () => {
  // The traits are written for their own input; a test may look at them as data.
  const unless = (endpoint: { queue?: unknown }, body: object) =>
    (endpoint.queue as { unless: (asked: { body: object }) => boolean }).unless({ body })

  it.each([
    { admin: true },
    { admin: false },
    { access_level: 0 },
    { order: true },
    { name: 'Li', alert: false },
    {},
  ] as const)('is told in the form as the contract rules it: change %o', (body) =>
    expect(needsConnection('change', body)).toBe(unless(updateCompanyUser, body)),
  )

  it.each([{ admin: true }, { access_level: 0 }, { access_level: 100 }, {}] as const)(
    'is told in the form as the contract rules it: create %o',
    (body) => expect(needsConnection('create', body)).toBe(unless(createUser, body)),
  )
})

describe('after somebody else changed the row', () => {
  const theirs: UserRow = { ...row, order: false, status: 1, row_version: 4 }

  it('says what it is now', () => {
    expect(differences(row, theirs)).toEqual([
      { field: 'order', now: false },
      { field: 'status', now: 1 },
    ])
  })

  it('keeps what was typed over what they saved', () => {
    const typed = { ...fieldsOf(row), name: 'Li Wei Ming' }
    expect(rebase(typed, fieldsOf(row), fieldsOf(theirs))).toMatchObject({ name: 'Li Wei Ming', order: false })
  })
})
