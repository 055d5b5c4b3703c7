import { useState } from 'react'
import { shownName } from '#domain/catalogue/mapp.ts'
import { Button } from '#ui/display/Button.tsx'
import { Tag, type Tone } from '#ui/display/Tag.tsx'
import { Pages } from '#ui/list/Pagination.tsx'
import { ProgressBar } from '#ui/page/ProgressBar.tsx'
import { useTranslation } from 'react-i18next'
import { problemWords } from '#ui/i18n/problem-messages.ts'
import { faultWords } from '#features/apps/upload/fault-words.ts'
import type { Entry, Phase } from '#features/apps/upload/upload-entry.ts'
import type { UploadQueue } from '#features/apps/upload/upload-queue.ts'
import { megabytes, pageOf, pageSize } from '#features/apps/upload/shown.ts'

const tones: Partial<Record<Phase, Tone>> = {
  sending: 'accent',
  checking: 'accent',
  failed: 'danger',
  refused: 'danger',
  offline: 'pending',
  partial: 'pending',
  paused: 'warning',
}

/** What failed stands first: it is what its user can do something about. */
const isOver = ({ phase }: Entry) => phase === 'sent' || phase === 'kept'
const isWrong = ({ phase }: Entry) => phase === 'failed' || phase === 'refused'
const inTransfer = (entries: readonly Entry[]) =>
  entries.filter((entry) => !isOver(entry)).toSorted((a, b) => Number(isWrong(b)) - Number(isWrong(a)))

interface Props {
  entries: readonly Entry[]
  isFull: boolean
  queue: UploadQueue
}

/** Files on their way, each with how far it is, and those that failed, with why (M155). */
export function TransferList({ entries, isFull, queue }: Props) {
  const { t } = useTranslation('apps')
  const [asked, setPage] = useState(1)
  const all = inTransfer(entries)
  const { page, pages, shown } = pageOf(all, asked)
  if (all.length === 0) return null
  const wrong = all.filter(isWrong)
  return (
    <section className="card uploads" aria-labelledby="uploads-title">
      <div className="uploads-head">
        <h2 id="uploads-title">{t('transfer.title')}</h2>
        <p role="status">{t('transfer.counted', { count: all.length })}</p>
        {wrong.length > 1 && (
          <Button kind="plain" icon="remove" onClick={() => wrong.forEach(({ key }) => void queue.remove(key))}>
            {t('transfer.removeFailed', { number: wrong.length })}
          </Button>
        )}
      </div>
      {isFull && <p className="uploads-full">{t('transfer.full')}</p>}
      <ol>
        {shown.map((entry) => (
          <Transfer key={entry.key} entry={entry} queue={queue} />
        ))}
      </ol>
      {all.length > pageSize && <Pages page={page} pages={pages} onPage={setPage} />}
    </section>
  )
}

function Transfer({ entry, queue }: { entry: Entry; queue: UploadQueue }) {
  const { t } = useTranslation('apps')
  const { key, size, phase, sent } = entry
  const name = shownName(entry.name)
  const percent = size === 0 ? 0 : Math.floor((sent / size) * 100)
  const hasBar = ['waiting', 'sending', 'paused', 'offline', 'partial', 'checking'].includes(phase) || isWrong(entry)
  return (
    <li className={`upload${isWrong(entry) ? ' exception' : ''}`}>
      <div className="upload-head">
        <span className="upload-name">
          <strong dir="auto">{name}</strong> <span>{megabytes(size)}</span>
        </span>
        <Tag tone={tones[phase] ?? 'neutral'}>{t(`phase.${phase}`)}</Tag>
        <span className="row-actions">
          {phase === 'sending' && (
            <Button kind="plain" onClick={() => queue.pause(key)} icon="stop">
              {t('transfer.pause')}
            </Button>
          )}
          {phase === 'paused' && (
            <Button kind="plain" onClick={() => queue.again(key)} icon="play">
              {t('transfer.resume')}
            </Button>
          )}
          {phase === 'failed' && (
            <Button icon="refresh" onClick={() => queue.again(key)}>
              {t('transfer.again')}
            </Button>
          )}
          <Button kind="plain" bare icon="remove" onClick={() => void queue.remove(key)}>
            {t('transfer.remove', { name })}
          </Button>
        </span>
      </div>
      {hasBar && (
        <ProgressBar
          label={t('transfer.progress', { name })}
          percent={percent}
          text={t('transfer.percent', { percent })}
        />
      )}
      <About entry={entry} percent={percent} />
    </li>
  )
}

function About({ entry, percent }: { entry: Entry; percent: number }) {
  const { t } = useTranslation('apps')
  const { phase, fault, problem, twin, size, sent } = entry
  if (fault) return <p className="upload-why">{faultWords(fault)}</p>
  if (twin !== null) return <p className="upload-why">{t('transfer.twin', { name: shownName(twin) })}</p>
  if (phase === 'failed' && problem) return <p className="upload-why">{problemWords(problem)}</p>
  if (phase === 'partial') return <p className="field-help">{t('transfer.partial', { percent })}</p>
  if (phase === 'sending' || phase === 'paused' || phase === 'offline')
    return <p className="field-help">{t('transfer.sent', { percent, sent: megabytes(sent), size: megabytes(size) })}</p>
  return null
}
