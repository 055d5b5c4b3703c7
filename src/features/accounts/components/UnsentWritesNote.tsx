import { useLiveQuery } from '#state/live-query.ts'
import { readLeftBehind } from '#local/outbox/left-behind.ts'
import { useTranslation } from 'react-i18next'
import { Note } from '#features/accounts/components/Note.tsx'

/** Shows how many changes are sent after a login, and how many were lost. `name`: the user whose session has ended; null if unknown. */
export function UnsentWritesNote({ name }: { name: string | null }) {
  const { t } = useTranslation('accounts')
  const {
    waitingCount = 0,
    userCount = 0,
    lostCount = 0,
  } = useLiveQuery(() => readLeftBehind(document.cookie), []) ?? {}
  return (
    <>
      {lostCount > 0 && <Note kind="pending">{t('left.lost', { count: lostCount })}</Note>}
      {waitingCount > 0 && (
        <Note>
          {name === null || userCount > 1
            ? t('left.waiting', { count: waitingCount })
            : t('left.waitingOf', { count: waitingCount, name })}
        </Note>
      )}
    </>
  )
}
