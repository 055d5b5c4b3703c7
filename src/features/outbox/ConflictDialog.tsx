import { useState } from 'react'
import type { ConflictComparison, OutboxActions } from '#request/call-results.ts'
import { Button } from '#ui/display/Button.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { useTranslation } from 'react-i18next'
import { ConflictChoices } from '#features/outbox/ConflictChoices.tsx'
import {
  type ConflictChoice,
  sortFields,
  type SortedConflict,
  getFieldsToKeep,
} from '#features/outbox/conflict-fields.ts'
import type { OutboxItem } from '#features/outbox/read-items.ts'
import { type ChangeLines, useChangeLines } from '#features/outbox/change-lines.ts'
import { getEntryChanges, isRowAction, useEntryMessages } from '#features/outbox/entry-messages.ts'
import { useOutboxToasts } from '#features/outbox/useOutboxToasts.ts'

interface Props {
  item: OutboxItem
  comparison: ConflictComparison
  actions: OutboxActions
  onClose: () => void
}

/**
 * Shows the original values, the user's values and the server's values (protocol 14). The result is sent as an ordinary write, so another
 * change in the meantime may lead to another conflict.
 */
export function ConflictDialog(props: Props) {
  const { item, comparison } = props
  if (comparison.serverValues === null) return <DeletedRowDialog {...props} />
  if (isRowAction(item.entry)) return <ActionConflictDialog {...props} />
  return <FieldConflictDialog {...props} sortedConflict={sortFields(comparison)} />
}

function useDecision({ item, actions, onClose }: Props) {
  const { t } = useTranslation('outbox')
  const { showNote, showFailure } = useOutboxToasts()
  const { intent } = item.entry
  const finish = (isFound: boolean, text: string) => {
    if (isFound) showNote(text)
    else showFailure()
    onClose()
  }
  return {
    mine: async (fields?: string[]) => finish(await actions.keepOwnValues(intent, fields), t('compare.saved')),
    theirs: async () => finish(await actions.keepServerValues(intent), t('compare.kept')),
  }
}

function FieldConflictDialog({ sortedConflict, ...props }: Props & { sortedConflict: SortedConflict }) {
  const { t } = useTranslation('outbox')
  const { formatName } = useEntryMessages()
  const lines = useChangeLines(props.item.entry.table)
  const [selections, setSelections] = useState<Record<string, ConflictChoice>>({})
  const decide = useDecision(props)
  const { item, comparison, onClose } = props
  const { conflictingFields } = sortedConflict
  const openCount = conflictingFields.filter(({ field }) => !selections[field]).length
  const fieldsToKeep = getFieldsToKeep(sortedConflict, selections)
  const chooseAll = (choice: ConflictChoice) =>
    setSelections(Object.fromEntries(conflictingFields.map(({ field }) => [field, choice])))
  const shouldKeepServerValues = openCount === 0 && fieldsToKeep.length === 0
  const saveButton = (
    <Button
      kind="primary"
      disabledReason={openCount > 0 ? t('compare.open', { count: openCount }) : null}
      onClick={() => void (shouldKeepServerValues ? decide.theirs() : decide.mine(fieldsToKeep))}
    >
      {t(shouldKeepServerValues ? 'compare.saveTheirs' : 'compare.save')}
    </Button>
  )
  return (
    <Dialog
      open
      title={t('compare.title', { name: formatName({ ...item.entry, name: item.name }) })}
      isWide
      onClose={onClose}
      action={saveButton}
      cancel={t('compare.cancel')}
    >
      <div className="write-dialog compare">
        <p>
          <ChangedBy comparison={comparison} />
        </p>
        {conflictingFields.length > 0 && <p>{t('compare.choose')}</p>}
        {conflictingFields.length > 1 && (
          <div className="write-acts">
            <Button onClick={() => chooseAll('mine')}>{t('compare.allMine')}</Button>
            <Button onClick={() => chooseAll('theirs')}>{t('compare.allTheirs')}</Button>
          </div>
        )}
        <ConflictChoices
          lines={lines}
          fields={conflictingFields}
          selections={selections}
          onChoose={(field, choice) => setSelections({ ...selections, [field]: choice })}
        />
        <MergedFields sortedConflict={sortedConflict} lines={lines} />
      </div>
    </Dialog>
  )
}

function ChangedBy({ comparison: { authorName: userName, isOwn, changedAt } }: { comparison: ConflictComparison }) {
  const { t } = useTranslation('outbox')
  if (isOwn) return <>{changedAt ? t('compare.own', { when: changedAt }) : t('compare.ownOnly')}</>
  if (userName && changedAt) return <>{t('compare.who', { userName, when: changedAt })}</>
  if (userName) return <>{t('compare.whoOnly', { userName })}</>
  return <>{changedAt ? t('compare.when', { when: changedAt }) : t('compare.somebody')}</>
}

function MergedFields({
  sortedConflict: { localOnlyFields, serverOnlyFields },
  lines,
}: {
  sortedConflict: SortedConflict
  lines: ChangeLines
}) {
  const { t } = useTranslation('outbox')
  if (localOnlyFields.length + serverOnlyFields.length === 0) return null
  const rows = [
    ...localOnlyFields.map((side) => ({ ...side, to: side.localValue, note: t('compare.mineOnly') })),
    ...serverOnlyFields.map((side) => ({ ...side, to: side.serverValue, note: t('compare.theirsOnly') })),
  ]
  return (
    <section className="compare-merged">
      <h3>{t('compare.merged')}</h3>
      <ul>
        {rows.map(({ field, baseValue, to, note }) => (
          <li key={field}>
            {lines.formatChanges(field, baseValue, to).map((change) => (
              <strong key={change}>{change}</strong>
            ))}
            <span>{note}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** For a write that does not set values but, for example, deletes the row, and the row has changed since. */
function ActionConflictDialog(props: Props) {
  const { t } = useTranslation('outbox')
  const lines = useChangeLines(props.item.entry.table)
  const { formatName, describeWrite } = useEntryMessages()
  const decide = useDecision(props)
  const { item, comparison, onClose } = props
  const { entry, name } = item
  const isDelete = entry.action === 'delete'
  const { serverOnlyFields, conflictingFields } = sortFields(comparison)
  // Both buttons resolve the conflict; closing the dialog postpones it. The button that keeps the row comes last, where other dialogs have
  // their close button.
  const buttons = (
    <>
      <Button kind={isDelete ? 'danger' : 'quiet'} onClick={() => void decide.mine()}>
        {t(isDelete ? 'compare.removeMine' : 'compare.moveMine')}
      </Button>
      <Button kind="primary" onClick={() => void decide.theirs()}>
        {t('compare.keep')}
      </Button>
    </>
  )
  const title = isDelete
    ? t('compare.removeTitle', { name: formatName({ ...entry, name }) })
    : t('compare.moveTitle', { write: describeWrite(entry, name) })
  return (
    <Dialog open title={title} onClose={onClose} action={buttons} cancel={null} shouldFocusCancel>
      <div className="write-dialog compare">
        <p>{t(isDelete ? 'compare.removeText' : 'compare.moveText')}</p>
        <p>
          <ChangedBy comparison={comparison} />
        </p>
        <h3>{t('compare.now')}</h3>
        <FieldValues
          values={getDisplayedValues(
            comparison,
            [...conflictingFields, ...serverOnlyFields].map(({ field }) => field),
          )}
          lines={lines}
        />
      </div>
    </Dialog>
  )
}

const identifyingFields = ['name', 'code', 'email', 'status', 'effective_date', 'type', 'desc']

/** Returns the current values of the changed fields, and of the fields that identify the row. */
function getDisplayedValues(
  { serverValues: theirs }: ConflictComparison,
  changedFields: readonly string[],
): [string, unknown][] {
  const fields = [...new Set([...identifyingFields, ...changedFields])].filter(
    (field) => theirs && Object.hasOwn(theirs, field),
  )
  return fields.map((field) => [field, theirs?.[field]])
}

function FieldValues({ values, lines }: { values: [string, unknown][]; lines: ChangeLines }) {
  return (
    <dl className="compare-values">
      {values.map(([field, value]) => (
        <div key={field}>
          <dt>{lines.formatLabel(field)}</dt>
          {lines.formatValues(field, value).map((text) => (
            <dd key={text}>{text}</dd>
          ))}
        </div>
      ))}
    </dl>
  )
}

/** The row was deleted in the meantime. There is no choice, but the typed values are listed. */
function DeletedRowDialog({ item: { entry, name }, actions, onClose }: Props) {
  const { t } = useTranslation('outbox')
  const lines = useChangeLines(entry.table)
  const { formatName } = useEntryMessages()
  const { showDropOutcome } = useOutboxToasts()
  const discard = async () => {
    showDropOutcome(await actions.drop(entry.intent))
    onClose()
  }
  const discardButton = (
    <Button kind="primary" onClick={() => void discard()}>
      {t('compare.goneDrop')}
    </Button>
  )
  return (
    <Dialog
      open
      title={t('compare.goneTitle', { name: formatName({ ...entry, name }) })}
      onClose={onClose}
      action={discardButton}
      cancel={t('compare.cancel')}
    >
      <div className="write-dialog compare">
        <p>{t('compare.goneText')}</p>
        <FieldValues values={getEntryChanges(entry).map(({ field, to }) => [field, to])} lines={lines} />
      </div>
    </Dialog>
  )
}
