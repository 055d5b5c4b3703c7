import { countLocked, isParked, readEntries } from '#local/outbox/read-entries.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { number } from '#ui/list/Freshness.tsx'
import type { HomeReport } from '#ui/page/home-report.ts'
import { useTranslation } from 'react-i18next'

/** What waits on this device, and what of it was refused: it holds its place until somebody looks at it. */
export function useOutboxReport(): HomeReport {
  const { t } = useTranslation('home')
  const entries = useLiveQuery(() => readEntries(), [])
  const locked = useLiveQuery(() => countLocked(), [])
  if (entries === undefined || locked === undefined) return { from: 'outbox', state: 'asking', duties: [], figures: {} }
  const refused = entries.filter(isParked).length
  const waiting = entries.length + locked
  const note = waiting === 0 ? t('sent') : refused > 0 ? t('needReview', { count: refused }) : ''
  return {
    from: 'outbox',
    state: 'known',
    figures: { waiting: { value: number(waiting), note, fresh: null } },
    duties:
      refused === 0
        ? []
        : [
            {
              key: 'refused',
              at: '',
              icon: 'alert',
              isUrgent: true,
              title: t('refused', { count: refused }),
              text: t('refusedText'),
              action: { label: t('review'), path: '/app/outbox' },
            },
          ],
  }
}
