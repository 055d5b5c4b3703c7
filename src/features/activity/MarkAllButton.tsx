import { Button } from '#ui/display/Button.tsx'
import { useTranslation } from 'react-i18next'
import type { Inbox } from '#features/activity/useInbox.ts'

/** Marks all notifications as read. It stays when all are read, so that it keeps the focus. */
export function MarkAllButton({
  inbox: { rows, unreadCount, markAllRead },
  kind = 'quiet',
}: {
  inbox: Inbox
  kind?: 'quiet' | 'plain'
}) {
  const { t } = useTranslation('activity')
  if (!rows || rows.length === 0) return null
  return (
    <Button kind={kind} disabledReason={unreadCount === 0 && t('allRead')} onClick={markAllRead}>
      {t('markAll')}
    </Button>
  )
}
