import { countLocked, isParked, readEntries } from '#local/outbox/read-entries.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { formatNumber } from '#ui/list/Freshness.tsx'
import type { HomeReport } from '#ui/page/home-report.ts'
import { useTranslation } from 'react-i18next'

/** Reports the writes that wait on this device. Refused ones are a duty until the user reviews them. */
export function useOutboxReport(): HomeReport {
  const { t } = useTranslation('home')
  const entries = useLiveQuery(() => readEntries(), [])
  const lockedCount = useLiveQuery(() => countLocked(), [])
  if (entries === undefined || lockedCount === undefined)
    return { source: 'outbox', state: 'loading', duties: [], figures: {} }
  const refusedCount = entries.filter(isParked).length
  const waitingCount = entries.length + lockedCount
  const note = waitingCount === 0 ? t('sent') : refusedCount > 0 ? t('needReview', { count: refusedCount }) : ''
  return {
    source: 'outbox',
    state: 'known',
    figures: { waiting: { value: formatNumber(waitingCount), note, freshness: null } },
    duties:
      refusedCount === 0
        ? []
        : [
            {
              key: 'refused',
              at: '',
              icon: 'alert',
              isUrgent: true,
              title: t('refused', { count: refusedCount }),
              text: t('refusedText'),
              action: { label: t('review'), path: '/app/outbox' },
            },
          ],
  }
}
