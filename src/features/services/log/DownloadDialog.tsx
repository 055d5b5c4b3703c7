import { type FormEvent, useId, useState } from 'react'
import { Button } from '#ui/display/Button.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { checkRange, type LogRange } from '#features/services/log/log-range.ts'
import { QuickSpans } from '#features/services/log/QuickSpans.tsx'
import { RangeFields } from '#features/services/log/RangeFields.tsx'
import { useBusinessNow } from '#features/services/useBusinessNow.ts'
import { useDownload } from '#features/services/log/useDownload.ts'
import { useWhyOffline } from '#features/services/useWhyOffline.ts'

interface Props {
  service: { id: number; code: string }
  onClose: () => void
}

/** A log as a file, of a span of at most 180 days back. What is typed stays while it cannot be asked for. */
export function DownloadDialog({ service: { id, code }, onClose }: Props) {
  const { t } = useTranslation('services')
  const form = useId()
  const clock = useBusinessNow()
  const whyNot = useWhyOffline()
  const { busy, problem, download } = useDownload(id)
  const [typed, setTyped] = useState<LogRange | null>(null)
  const [strict, setStrict] = useState(false)
  const range = typed ?? (clock && { from: `${clock.now.slice(0, 10)} 00:00`, to: clock.next })
  async function submit(event: FormEvent) {
    event.preventDefault()
    if (!clock || !range || whyNot || busy) return
    setStrict(true)
    const wrong = Object.keys(checkRange(range, clock.now, false))[0]
    if (wrong) return document.querySelector<HTMLElement>(`[role=dialog] [name=${wrong}]`)?.focus()
    if (await download(range, clock.next)) onClose()
  }
  const act = (
    <Button kind="primary" type="submit" icon="install" form={form} busy={busy} whyNot={whyNot}>
      {t('log.download')}
    </Button>
  )
  return (
    <Dialog open title={t('log.downloadTitle', { code })} onClose={onClose} act={act}>
      <form id={form} className="form" noValidate onSubmit={(event) => void submit(event)}>
        <ProblemNote problem={problem} title={t('log.failed')} focus />
        <p>{t('log.downloadText')}</p>
        {clock && range ? (
          <>
            <QuickSpans clock={clock} onChoose={({ from }) => setTyped({ from, to: clock.next })} />
            <RangeFields
              range={range}
              now={clock.now}
              max={clock.next}
              isEndOpen={false}
              strict={strict}
              onChange={setTyped}
            />
            <p className="field-help">{t('log.zone', { zone: clock.zone })}</p>
          </>
        ) : (
          <Skeleton lines={2} />
        )}
        {whyNot && <p className="field-help">{whyNot}</p>}
      </form>
    </Dialog>
  )
}
