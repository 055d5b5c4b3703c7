import { type ComponentType, type ReactNode, Suspense } from 'react'
import { Link } from 'react-router-dom'
import type { UserRow } from '#contract/users.ts'
import { type UserStatus, userStatus } from '#domain/accounts/users.ts'
import { useConnection, useIsActing, useSignedInSession } from '#state/use-store.ts'
import { EditFormNotes } from '#patterns/edit-form/EditFormNotes.tsx'
import { FormDrawer } from '#ui/form/FormDrawer.tsx'
import { buildHistoryPath } from '#ui/links/history-path.ts'
import { useTranslation } from 'react-i18next'
import { UserStatusTag } from '#features/users/UserStatusTag.tsx'
import { UserFields } from '#features/users/form/UserFields.tsx'
import { conflictFields } from '#features/users/form/user-form.ts'
import { type UserFormOptions, useUserForm } from '#features/users/form/useUserForm.ts'

interface UserFormProps extends UserFormOptions {
  /** Renders a note above the form for the row, which is the current one after a conflict. */
  renderNote?: (row: UserRow) => ReactNode
  status?: UserStatus | undefined
  ExtraSections?: ComponentType<{ id: number; name: string; email: string }>
}

export function UserForm({ renderNote, status, ExtraSections, ...options }: UserFormProps) {
  const { t } = useTranslation('people')
  const { caller } = useSignedInSession()
  const form = useUserForm(options)
  const formatField = useFieldFormatter()
  const row = form.row?.row ?? null
  const trailPath = row && buildHistoryPath({ code: 'user', name: row.email }, caller)
  return (
    <FormDrawer
      open
      title={row ? t('form.editTitle', { name: row.name }) : t('form.createTitle')}
      titleTag={status !== undefined && <UserStatusTag status={status} />}
      {...form.formProps}
      onClose={options.onClose}
    >
      {row && renderNote?.(row)}
      <EditFormNotes
        form={{ conflict: form.conflict }}
        conflictTitle={t('conflict.title')}
        fields={conflictFields}
        formatField={formatField}
      />
      <UserFields form={form} />
      {ExtraSections && row && <OnlineSections row={row} ExtraSections={ExtraSections} />}
      {trailPath !== null && (
        <p className="user-history">
          <Link to={trailPath}>{t('form.history')}</Link>
        </p>
      )}
    </FormDrawer>
  )
}

interface OnlineSectionsProps {
  row: UserRow
  ExtraSections: ComponentType<{ id: number; name: string; email: string }>
}

/**
 * Shows the sections that need a connection. Only users who may log in have sessions. The caller's own sessions are on the profile page.
 */
function OnlineSections({ row: { id, name, email, status }, ExtraSections }: OnlineSectionsProps) {
  const { user } = useSignedInSession()
  const { networkState, isSessionExpired } = useConnection()
  const isActing = useIsActing()
  const canChangeAccess = networkState === 'online' && !isSessionExpired && !isActing
  if (!canChangeAccess || typeof id !== 'number' || id === user.id || status !== userStatus.activated) return null
  return (
    <Suspense fallback={null}>
      <ExtraSections id={id} name={name} email={email} />
    </Suspense>
  )
}

function useFieldFormatter() {
  const { t } = useTranslation('people')
  const { t: tUsers } = useTranslation('users')
  return (field: (typeof conflictFields)[number], row: UserRow): { label: string; value: string } => {
    switch (field) {
      case 'title':
        return { label: t('form.title'), value: tUsers(`titles.${row.title}`) }
      case 'status':
        return { label: tUsers('column.status'), value: tUsers(`status.${row.status}`) }
      case 'access_level':
        return { label: t('form.access_level'), value: t(`levels.${row.access_level}`) }
      case 'name':
      case 'email':
        return { label: t(`form.${field}`), value: row[field] }
      default:
        return { label: tUsers(`flag.${field}`), value: t(row[field] ? 'conflict.on' : 'conflict.off') }
    }
  }
}
