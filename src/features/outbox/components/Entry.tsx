import type { Waiting } from '#local/waiting.ts'
import type { Desk } from '#request/result.ts'
import { Button } from '#ui/Button.tsx'
import { readingTime } from '#ui/Freshness.tsx'
import { PendingMark } from '#ui/PendingMark.tsx'
import { ProblemNote } from '#ui/ProblemNote.tsx'
import { showToast } from '#ui/toasts.tsx'
import { useWords } from '#ui/words.ts'
import { Compare } from '#features/outbox/components/Compare.tsx'
import { changesIn, currentIn, useFieldWords, useWhat, waitsFor } from '#features/outbox/wording.ts'

interface EntryProps {
  entry: Waiting
  all: readonly Waiting[]
  /** Of the row it is about, where it has one. */
  name: string | null
  /** It has waited so long that it may not be wanted any more (protocol 19). */
  isOld: boolean
  desk: Desk
  onDrop: () => void
}

export function Entry({ entry, all, name, isOld, desk, onDrop }: EntryProps) {
  const t = useWords('outbox')
  const what = useWhat(entry)
  const words = useFieldWords()
  const { state, problem, attempts, since } = entry
  const held = waitsFor(entry, all)
  const changes = changesIn(entry)
  const title = name ? t('whom', { what, name }) : what
  return (
    <li>
      <div className="waiting-head">
        <strong>{title}</strong>
        <PendingMark state={state} makes={entry.makes} />
      </div>
      {entry.makes === 'change' && changes.length > 0 && (
        <ul className="waiting-fields">
          {changes.map(({ field, from, to }) => (
            <li key={field}>
              {from === undefined
                ? t('set', { field: words.field(field), to: words.value(field, to) })
                : t('change', {
                    field: words.field(field),
                    from: words.value(field, from),
                    to: words.value(field, to),
                  })}
            </li>
          ))}
        </ul>
      )}
      <p className="field-help">
        {t('since', { at: readingTime(since) })}
        {attempts > 0 && ` · ${t('tries', { count: attempts })}`}
      </p>
      {held && <p className="field-help">{t(held === 'earlier' ? 'behind' : 'needs')}</p>}
      {isOld && <p className="field-help">{t('old')}</p>}
      {state === 'conflict' ? <Compare entry={entry} /> : <ProblemNote problem={problem} />}
      <Actions entry={entry} desk={desk} title={title} onDrop={onDrop} />
    </li>
  )
}

function Actions({
  entry: { intent, state, problem },
  desk,
  title,
  onDrop,
}: Pick<EntryProps, 'entry' | 'desk' | 'onDrop'> & { title: string }) {
  const t = useWords('outbox')
  const run = (act: Promise<boolean>) =>
    void act.then((isThere) => !isThere && showToast({ kind: 'note', text: t('toast.failed') }))
  if (state === 'dropping') return null
  return (
    <div className="waiting-acts" role="group" aria-label={title}>
      {state === 'refused' && (
        <Button kind="primary" icon="refresh" onClick={() => run(desk.retry(intent))}>
          {t('act.retry')}
        </Button>
      )}
      {state === 'asks' && (
        <Button kind="primary" icon="check" onClick={() => run(desk.confirm(intent))}>
          {t('act.confirm')}
        </Button>
      )}
      {state === 'conflict' && currentIn(problem) && (
        <>
          <Button kind="primary" onClick={() => run(desk.keepMine(intent))}>
            {t('act.mine')}
          </Button>
          <Button onClick={() => run(desk.keepTheirs(intent))}>{t('act.theirs')}</Button>
        </>
      )}
      {!(state === 'conflict' && currentIn(problem)) && (
        <Button icon="remove" onClick={onDrop}>
          {t('act.drop')}
        </Button>
      )}
    </div>
  )
}
