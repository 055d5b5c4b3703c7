import type { ReactNode } from 'react'
import { useConnection } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { useTranslation } from 'react-i18next'
import { BulkOutcome } from '#features/users/list/BulkOutcome.tsx'
import type { BulkActionResult } from '#features/users/list/run-bulk-action.ts'

interface BulkDialogProps {
  run: { results: readonly BulkActionResult[] | undefined; isBusy: boolean; doneCount: number }
  title: string
  count: number
  action: ReactNode
  shouldFocusCancel?: boolean
  onClose: () => void
  children: ReactNode
}

/** Shows the plan (its children), then the progress, and the result for each user (C-16) if something was refused. */
export function BulkDialog({ run, title, count, action, onClose, ...props }: BulkDialogProps) {
  const { results, isBusy, doneCount } = run
  const { t } = useTranslation('people')
  const progress = { done: formatNumber(doneCount), all: formatNumber(count) }
  return (
    <Dialog
      open
      title={results ? t('many.results') : title}
      onClose={() => void (isBusy || onClose())}
      action={isBusy ? <Button isBusy>{t('many.doing', progress)}</Button> : !results && action}
      cancel={isBusy ? null : undefined}
      shouldFocusCancel={props.shouldFocusCancel ?? false}
    >
      <div className="form many">{results ? <BulkOutcome results={results} /> : props.children}</div>
    </Dialog>
  )
}

export function OfflineNote() {
  const { t } = useTranslation('people')
  const { networkState } = useConnection()
  if (networkState === 'online') return null
  return (
    <p className="many-line">
      <Icon name="waiting" />
      {t('many.offline')}
    </p>
  )
}
