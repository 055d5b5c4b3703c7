import { useState } from 'react'
import { CachedLists } from '#features/device/components/CachedLists.tsx'
import { ClearDialog } from '#features/device/components/ClearDialog.tsx'
import { refreshLists } from '#features/device/refresh-lists.ts'
import type { CachedListUsage } from '#local/space/usage.ts'
import { useAction } from '#state/use-action.ts'
import { useConnection } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'

interface ListsCardProps {
  lists: readonly CachedListUsage[] | undefined
  waitingCount: number
}

export function ListsCard({ lists, waitingCount }: ListsCardProps) {
  const { t } = useTranslation('device')
  const isOnline = useConnection().networkState === 'online'
  const { run: refresh, isBusy, problem } = useAction(refreshLists)
  const [isClearing, setIsClearing] = useState(false)
  async function refreshAll(cachedLists: readonly CachedListUsage[]) {
    const result = await refresh(cachedLists)
    if (result.kind !== 'problem') showToast({ kind: 'done', text: t('lists.refreshed') })
  }
  return (
    <section className="card" aria-labelledby="device-lists">
      <div className="device-head">
        <div>
          <h2 id="device-lists">{t('lists.title')}</h2>
          <p className="field-help">{t('lists.lead')}</p>
        </div>
        {lists && lists.length > 0 && (
          <div className="device-acts">
            <Button
              icon="refresh"
              isBusy={isBusy}
              disabledReason={isOnline ? null : t('lists.needsConnection')}
              onClick={() => void refreshAll(lists)}
            >
              {t('lists.refresh')}
            </Button>
            <Button icon="remove" aria-haspopup="dialog" onClick={() => setIsClearing(true)}>
              {t('lists.clear')}
            </Button>
          </div>
        )}
      </div>
      <ProblemNote problem={problem} title={t('lists.failed')} />
      <ListsOrNote lists={lists} />
      {isClearing && (
        <ClearDialog waitingCount={waitingCount} isOnline={isOnline} onClose={() => setIsClearing(false)} />
      )}
    </section>
  )
}

function ListsOrNote({ lists }: Pick<ListsCardProps, 'lists'>) {
  const { t } = useTranslation('device')
  if (!lists) return <Skeleton />
  if (lists.length > 0) return <CachedLists lists={lists} />
  return (
    <EmptyState icon="device" title={t('lists.none')}>
      <p>{t('lists.noneText')}</p>
    </EmptyState>
  )
}
