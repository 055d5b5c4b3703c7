import { type FormEvent, useId, useState } from 'react'
import { Button } from '#ui/display/Button.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { getBusinessNow } from '#ui/page/business-clock.ts'
import { useZoneFormatter } from '#ui/page/zone-name.ts'
import { useTranslation } from 'react-i18next'
import { checkRange, type ServiceLogRange } from '#features/services/log/log-range.ts'
import { QuickSpans } from '#features/services/log/QuickSpans.tsx'
import { RangeFields } from '#features/services/log/RangeFields.tsx'
import { useBusinessNow } from '#features/services/useBusinessNow.ts'
import { useLogDownload } from '#features/services/log/useLogDownload.ts'
import { useUnsendableReason } from '#patterns/useOfflineReason.ts'

interface DownloadDialogProps {
  service: { id: number; code: string }
  onClose: () => void
}

/** Downloads a log of the last 180 days. If the connection is lost, the typed values stay. */
export function DownloadDialog({ service: { id, code }, onClose }: DownloadDialogProps) {
  const { t } = useTranslation('services')
  const formatZone = useZoneFormatter()
  const formId = useId()
  const clock = useBusinessNow()
  const disabledReason = useUnsendableReason(t('whyNot.offline'))
  const { isBusy, problem, download } = useLogDownload(id)
  const [typedRange, setTypedRange] = useState<ServiceLogRange | null>(null)
  const [isStrict, setIsStrict] = useState(false)
  const range = typedRange ?? (clock && { from: `${clock.currentMinute.slice(0, 10)} 00:00`, to: clock.nextMinute })
  async function submit(event: FormEvent) {
    event.preventDefault()
    if (!clock || !range || disabledReason || isBusy) return
    setIsStrict(true)
    const invalidField = Object.keys(checkRange(range, clock.currentMinute, false))[0]
    if (invalidField) return document.querySelector<HTMLElement>(`[role=dialog] [name=${invalidField}]`)?.focus()
    if (await download(range, clock.nextMinute)) onClose()
  }
  const submitButton = (
    <Button kind="primary" type="submit" icon="install" form={formId} isBusy={isBusy} disabledReason={disabledReason}>
      {t('log.download')}
    </Button>
  )
  return (
    <Dialog open title={t('log.downloadTitle', { code })} onClose={onClose} action={submitButton}>
      <form id={formId} className="form" noValidate onSubmit={(event) => void submit(event)}>
        <ProblemNote problem={problem} title={t('log.failed')} shouldFocus />
        <p>{t('log.downloadText')}</p>
        {clock && range ? (
          <>
            <QuickSpans clock={clock} onChoose={({ from }) => setTypedRange({ from, to: clock.nextMinute })} />
            <RangeFields
              range={range}
              currentMinute={clock.currentMinute}
              max={clock.nextMinute}
              isEndOpen={false}
              isStrict={isStrict}
              onChange={setTypedRange}
            />
            <p className="field-help">{t('log.zone', { zone: formatZone(getBusinessNow()) })}</p>
          </>
        ) : (
          <Skeleton lines={2} />
        )}
        {disabledReason && <p className="field-help">{disabledReason}</p>}
      </form>
    </Dialog>
  )
}
