import { useLiveQuery } from '#state/live-query.ts'
import { readLeftBehind } from '#local/outbox/left-behind.ts'
import { useTranslation } from 'react-i18next'
import { Note } from '#features/accounts/components/Note.tsx'

/** What waits on this device for a login, and for whose; what is gone. `name`: who was here until the session ended. */
export function LeftBehind({ name }: { name: string | null }) {
  const { t } = useTranslation('accounts')
  const { waiting = 0, users = 0, lost = 0 } = useLiveQuery(() => readLeftBehind(document.cookie), []) ?? {}
  return (
    <>
      {lost > 0 && <Note kind="pending">{t('left.lost', { count: lost })}</Note>}
      {waiting > 0 && (
        <Note>
          {name === null || users > 1
            ? t('left.waiting', { count: waiting })
            : t('left.waitingOf', { count: waiting, name })}
        </Note>
      )}
    </>
  )
}
