import { useState } from 'react'
import type { Comparison, OutboxActions } from '#request/results.ts'
import { Button } from '#ui/display/Button.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { Choices } from '#features/outbox/ConflictChoices.tsx'
import { type Choice, sortFields, type Sorted, takenOf } from '#features/outbox/conflict-fields.ts'
import type { Item } from '#features/outbox/read-items.ts'
import { type ChangeLines, useChangeLines } from '#features/outbox/change-lines.ts'
import { changesIn, isMove, useSentences } from '#features/outbox/entry-messages.ts'

interface Props {
  item: Item
  found: Comparison
  desk: OutboxActions
  onClose: () => void
}

/**
 * What it was, what the user wants and what somebody else has made of it (protocol 14). What comes of it is sent as an
 * ordinary write, so it may meet yet another change and be asked about again.
 */
export function CompareDialog(props: Props) {
  const { item, found } = props
  if (found.theirs === null) return <Gone {...props} />
  if (isMove(item.entry)) return <Move {...props} />
  return <Fields {...props} sorted={sortFields(found)} />
}

/** Each says what came of it. */
function useDeciding({ item, desk, onClose }: Props) {
  const { t } = useTranslation('outbox')
  const { intent } = item.entry
  const tell = (isThere: boolean, text: string) => {
    showToast({ kind: 'note', text: isThere ? text : t('toast.failed') })
    onClose()
  }
  return {
    mine: async (fields?: string[]) => tell(await desk.keepMine(intent, fields), t('compare.saved')),
    theirs: async () => tell(await desk.keepTheirs(intent), t('compare.kept')),
  }
}

function Fields({ sorted, ...props }: Props & { sorted: Sorted }) {
  const { t } = useTranslation('outbox')
  const { nameOf } = useSentences()
  const lines = useChangeLines(props.item.entry.table)
  const [chosen, setChosen] = useState<Record<string, Choice>>({})
  const decide = useDeciding(props)
  const { item, found, onClose } = props
  const { both } = sorted
  const open = both.filter(({ field }) => !chosen[field]).length
  const taken = takenOf(sorted, chosen)
  const all = (choice: Choice) => setChosen(Object.fromEntries(both.map(({ field }) => [field, choice])))
  const isTheirs = open === 0 && taken.length === 0
  const act = (
    <Button
      kind="primary"
      whyNot={open > 0 ? t('compare.open', { count: open }) : null}
      onClick={() => void (isTheirs ? decide.theirs() : decide.mine(taken))}
    >
      {t(isTheirs ? 'compare.saveTheirs' : 'compare.save')}
    </Button>
  )
  return (
    <Dialog
      open
      title={t('compare.title', { name: nameOf({ ...item.entry, name: item.name }) })}
      wide
      onClose={onClose}
      act={act}
      cancel={t('compare.cancel')}
    >
      <div className="write-dialog compare">
        <p>
          <Who found={found} />
        </p>
        {both.length > 0 && <p>{t('compare.choose')}</p>}
        {both.length > 1 && (
          <div className="write-acts">
            <Button onClick={() => all('mine')}>{t('compare.allMine')}</Button>
            <Button onClick={() => all('theirs')}>{t('compare.allTheirs')}</Button>
          </div>
        )}
        <Choices
          lines={lines}
          sides={both}
          chosen={chosen}
          onChoose={(field, choice) => setChosen({ ...chosen, [field]: choice })}
        />
        <Merged sorted={sorted} lines={lines} />
      </div>
    </Dialog>
  )
}

function Who({ found: { who, isOwn, when } }: { found: Comparison }) {
  const { t } = useTranslation('outbox')
  if (isOwn) return <>{when ? t('compare.own', { when }) : t('compare.ownOnly')}</>
  if (who && when) return <>{t('compare.who', { who, when })}</>
  if (who) return <>{t('compare.whoOnly', { who })}</>
  return <>{when ? t('compare.when', { when }) : t('compare.somebody')}</>
}

/** What only one side changed needs nobody's choice, and is shown all the same. */
function Merged({ sorted: { mineOnly, theirsOnly }, lines }: { sorted: Sorted; lines: ChangeLines }) {
  const { t } = useTranslation('outbox')
  if (mineOnly.length + theirsOnly.length === 0) return null
  const rows = [
    ...mineOnly.map((side) => ({ ...side, to: side.mine, says: t('compare.mineOnly') })),
    ...theirsOnly.map((side) => ({ ...side, to: side.theirs, says: t('compare.theirsOnly') })),
  ]
  return (
    <section className="compare-merged">
      <h3>{t('compare.merged')}</h3>
      <ul>
        {rows.map(({ field, was, to, says }) => (
          <li key={field}>
            {lines.changes(field, was, to).map((change) => (
              <strong key={change}>{change}</strong>
            ))}
            <span>{says}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Something was to be done to the row, its deletion above all, and the row is another one by now. */
function Move(props: Props) {
  const { t } = useTranslation('outbox')
  const lines = useChangeLines(props.item.entry.table)
  const { nameOf, whatOf } = useSentences()
  const decide = useDeciding(props)
  const { item, found, onClose } = props
  const { entry, name } = item
  const deletes = entry.action === 'delete'
  const { theirsOnly, both } = sortFields(found)
  // Both decide, and the cross decides later: the one that changes nothing stands where the button that closes does.
  const act = (
    <>
      <Button kind={deletes ? 'danger' : 'quiet'} onClick={() => void decide.mine()}>
        {t(deletes ? 'compare.removeMine' : 'compare.moveMine')}
      </Button>
      <Button kind="primary" onClick={() => void decide.theirs()}>
        {t('compare.keep')}
      </Button>
    </>
  )
  const title = deletes
    ? t('compare.removeTitle', { name: nameOf({ ...entry, name }) })
    : t('compare.moveTitle', { what: whatOf(entry, name) })
  return (
    <Dialog open title={title} onClose={onClose} act={act} cancel={null} careful>
      <div className="write-dialog compare">
        <p>{t(deletes ? 'compare.removeText' : 'compare.moveText')}</p>
        <p>
          <Who found={found} />
        </p>
        <h3>{t('compare.now')}</h3>
        <Values
          values={shownOf(
            found,
            [...both, ...theirsOnly].map(({ field }) => field),
          )}
          lines={lines}
        />
      </div>
    </Dialog>
  )
}

const always = ['name', 'code', 'email', 'status', 'effective_date', 'type', 'desc']

/** What has changed, as far as it is known, and what says whom it is about. */
function shownOf({ theirs }: Comparison, changed: readonly string[]): [string, unknown][] {
  const fields = [...new Set([...always, ...changed])].filter((field) => theirs && Object.hasOwn(theirs, field))
  return fields.map((field) => [field, theirs?.[field]])
}

function Values({ values, lines }: { values: [string, unknown][]; lines: ChangeLines }) {
  return (
    <dl className="compare-values">
      {values.map(([field, value]) => (
        <div key={field}>
          <dt>{lines.label(field)}</dt>
          {lines.values(field, value).map((text) => (
            <dd key={text}>{text}</dd>
          ))}
        </div>
      ))}
    </dl>
  )
}

/** The row was deleted under the change: there is nothing to choose, only to take note of what had been typed. */
function Gone({ item: { entry, name }, desk, onClose }: Props) {
  const { t } = useTranslation('outbox')
  const lines = useChangeLines(entry.table)
  const { nameOf } = useSentences()
  const drop = async () => {
    const how = await desk.drop(entry.intent)
    showToast({ kind: 'note', text: t(how === 'unknown' ? 'toast.failed' : `toast.${how}`) })
    onClose()
  }
  const act = (
    <Button kind="primary" onClick={() => void drop()}>
      {t('compare.goneDrop')}
    </Button>
  )
  return (
    <Dialog
      open
      title={t('compare.goneTitle', { name: nameOf({ ...entry, name }) })}
      onClose={onClose}
      act={act}
      cancel={t('compare.cancel')}
    >
      <div className="write-dialog compare">
        <p>{t('compare.goneText')}</p>
        <Values values={changesIn(entry).map(({ field, to }) => [field, to])} lines={lines} />
      </div>
    </Dialog>
  )
}
