import type { FocusEvent } from 'react'
import { userExists } from '#contract/accounts.ts'
import { createLocalProblem, getFieldProblems } from '#contract/problem.ts'
import { createUser, updateCompanyUser, type UserRow } from '#contract/users.ts'
import type { FieldProblem } from '#domain/checks/field-checks.ts'
import { checkUser, getLockedFields, type UserFields } from '#domain/accounts/users.ts'
import { cleanText } from '#domain/text.ts'
import type { CallResult } from '#request/call-results.ts'
import { callEndpoint } from '#state/app-thunk.ts'
import { useConnection, useDispatch, useSignedInSession } from '#state/use-store.ts'
import { useEditForm } from '#patterns/edit-form/useEditForm.ts'
import { useActingLock } from '#patterns/useActingLock.ts'
import { useSubmitLabel } from '#patterns/edit-form/useSubmitLabel.ts'
import { useTranslation } from 'react-i18next'
import { formatFieldProblem, formatProblem } from '#ui/i18n/problem-messages.ts'
import {
  emptyUserFields,
  fromFormValues,
  isPlainLine,
  toFormValues,
  toUserFields,
  type UserFormValues,
} from '#features/users/form/user-form.ts'
import type { UserFormBase } from '#features/users/form/user-form-base.ts'
import { hasCachedEmail } from '#features/users/read-users.ts'
import { usersList } from '#features/users/slice.ts'

export interface UserFormOptions {
  formBase: UserFormBase
  /** Identifies the form, so that its values can be restored after the user had to log in again. */
  formKey: string
  /** Sends the request body for a refused write, instead of creating a new write. */
  send?: (body: Partial<UserFields>) => Promise<CallResult<unknown>>
  onClose: () => void
  onSaved: () => void
}

const emailTakenFault = { field: 'email', code: 'DUP_USER' } as const
type UserFault = FieldProblem | typeof emailTakenFault

export const toFormName = (formKey: string): string => `user:${formKey}`

/** State of the user form, with the locks and checks of portal 4 and 5. */
export function useUserForm({ formBase, formKey, send, onClose, onSaved }: UserFormOptions) {
  const { t } = useTranslation('people')
  const { t: tUsers } = useTranslation('users')
  const dispatch = useDispatch()
  const { user, caller } = useSignedInSession()
  const isOnline = useConnection().networkState === 'online'
  const isNew = formBase.base === null
  const getActingLock = useActingLock('updateCompanyUser')
  const submitLabel = useSubmitLabel(t(isNew ? 'form.createSubmit' : 'form.editSubmit'))
  const form = useEditForm<UserRow, UserFormValues, UserFields, UserFault>({
    name: toFormName(formKey),
    actingCall: isNew || send ? undefined : 'updateCompanyUser',
    row: formBase.base,
    initialValues: toFormValues(formBase.values),
    refusedWrite: formBase.refusedWrite,
    toValues: (row) => toFormValues(row ? toUserFields(row) : emptyUserFields),
    fromValues: fromFormValues,
    getLockedFields: (row) => lockFields(getLockedFields(row, { isSelf: row.id === user.id }), getActingLock),
    // Only changed fields are checked: a stored name that does not meet today's rules must not prevent other changes.
    check: (fields, changes) => checkUser(isNew ? fields : changes),
    checkBeforeSave: async ({ email }) =>
      isNew && !isOnline && (await isTakenOnDevice(email)) ? [emailTakenFault] : [],
    formatFault: (fault) =>
      fault.code === 'DUP_USER'
        ? formatProblem(createLocalProblem(fault.code))
        : formatFieldProblem(fault, t(`form.${fault.field as 'name' | 'email'}`)),
    hasInput: ({ field }) => {
      const baseRow = formBase.base?.row ?? null
      return !isPlainLine(field, baseRow, { isSelf: baseRow?.id === user.id })
    },
    findFaults: (problem) => (problem.code === 'DUP_USER' ? [emailTakenFault] : getFieldProblems(problem)),
    save({ row, fields, changes, options }) {
      if (send) return () => send(row ? changes : fields)
      return row
        ? callEndpoint(updateCompanyUser, { params: { id: row.row.id }, body: changes }, options)
        : callEndpoint(createUser, { body: fields }, options)
    },
    onSaved({ id, isQueued }) {
      if (isNew && id !== null) dispatch(usersList.rowCreated(id))
      if (!isQueued) onSaved()
    },
    onLeave: onClose,
    texts: {
      createAction: tUsers('toast.create'),
      submit: submitLabel,
      saving: t('form.saving'),
      unchanged: t('form.unchanged'),
      getName: ({ name }) => name,
      getCreatedLink: ({ id, fields }) =>
        typeof id === 'number' ? { label: fields.name, path: `/app/user?user=${id}` } : undefined,
    },
  })

  /** Returns whether a user on this device has the e-mail. Used while offline. */
  function isTakenOnDevice(email: string): Promise<boolean> {
    return hasCachedEmail(caller.companyId, email, form.intent)
  }
  async function isTaken(email: string): Promise<boolean> {
    if (!isOnline) return await isTakenOnDevice(email)
    const query = { code: email, company: user.company_code }
    const result = await dispatch(callEndpoint(userExists, { query }))
    return result.kind === 'fresh' && result.output
  }
  async function checkEmail({ currentTarget: input }: FocusEvent<HTMLInputElement>) {
    const email = cleanText(input.value)
    if (!isNew || checkUser({ email }).length > 0) return
    // The user may have typed another e-mail in the meantime.
    if ((await isTaken(email)) && cleanText(input.value) === email) form.showFault(emailTakenFault)
  }
  return { ...form, checkEmail, getActingLock }
}

/** Adds the fields that a consent does not allow to change. */
const lockFields = (lockedFields: ReadonlySet<keyof UserFields>, getActingLock: (field: string) => string | null) =>
  new Set([
    ...lockedFields,
    ...(Object.keys(emptyUserFields) as (keyof UserFields)[]).filter((field) => getActingLock(field) !== null),
  ])
