import type { ReactNode } from 'react'
import type { ModuleRow } from '#contract/modules.ts'
import type { ClientType } from '#domain/access.ts'
import { useTranslation } from 'react-i18next'
import type { EditorSection, PriceListChanges } from '#features/prices/changes/list-changes.ts'
import { BackupFields } from '#features/prices/editor/BackupFields.tsx'
import type { PriceFormAction } from '#features/prices/editor/form-reducer.ts'
import { HeaderFields } from '#features/prices/editor/HeaderFields.tsx'
import { ModuleRows } from '#features/prices/editor/ModuleRows.tsx'
import type { EditorState } from '#features/prices/editor/PriceListNotes.tsx'
import { RangeLimitNote } from '#features/prices/editor/row-parts.tsx'
import { TierTable } from '#features/prices/editor/TierTable.tsx'
import type { usePriceForm } from '#features/prices/editor/usePriceForm.ts'
import type { FaultNotes } from '#features/prices/faults/list-faults.ts'
import { LockedBackups } from '#features/prices/locked/LockedBackups.tsx'
import { LockedModules } from '#features/prices/locked/LockedModules.tsx'
import { LockedTiers } from '#features/prices/locked/LockedTiers.tsx'
import { getHeadingId } from '#features/prices/sections/heading-ids.ts'
import { type PriceListValues, tierTables } from '#features/prices/price-list-form.ts'

interface Props {
  type: ClientType
  state: EditorState
  values: PriceListValues
  changes: PriceListChanges
  problemTexts: ReturnType<typeof usePriceForm>['problemTexts']
  notes: FaultNotes
  modules: readonly ModuleRow[]
  namesByCode: ReadonlyMap<string, string>
  dispatch: (action: PriceFormAction) => void
}

/** The sections of the form. The prices of a confirmed list are tables instead of fields. */
export function PriceListFields(props: Props) {
  const { state, values, changes, problemTexts, notes, dispatch } = props
  const { t } = useTranslation('prices')
  const isLocked = state !== 'unconfirmed'
  return (
    <>
      <Section name="header">
        <HeaderFields
          {...{ isLocked, dispatch }}
          isDescLocked={state === 'withdrawn'}
          header={values.header}
          oldValues={changes.header}
          problemTexts={problemTexts.fields}
          notes={notes.header}
        />
      </Section>
      {tierTables.map((name) => (
        <Section key={name} name={name} help={t(isLocked ? 'help.lockedTiers' : 'help.tiers')}>
          {isLocked ? (
            <LockedTiers name={name} rows={values[name]} />
          ) : (
            <TierTable
              {...{ name, dispatch }}
              rows={values[name]}
              problemTexts={problemTexts.rows}
              changesByKey={changes.rowsByKey}
              note={notes[name]}
            />
          )}
          <RangeLimitNote rows={values[name]} />
        </Section>
      ))}
      {isLocked ? <LockedSections {...props} /> : <EditedSections {...props} />}
    </>
  )
}

function LockedSections({ values, notes, namesByCode }: Props) {
  const { t } = useTranslation('prices')
  return (
    <>
      <Section name="module" help={t('help.modules')}>
        <LockedModules rows={values.module} notesByKey={notes.moduleNotes} namesByCode={namesByCode} />
      </Section>
      <Section name="pdbPrice">
        <LockedBackups prices={values.pdbPrice} />
      </Section>
    </>
  )
}

function EditedSections({ type, values, changes, problemTexts, notes, modules, namesByCode, dispatch }: Props) {
  const { t } = useTranslation('prices')
  return (
    <>
      <Section name="module" help={t('help.modules')}>
        <ModuleRows
          {...{ type, modules, namesByCode, dispatch }}
          rows={values.module}
          problemTexts={problemTexts.rows}
          changesByKey={changes.rowsByKey}
          notesByKey={notes.moduleNotes}
        />
      </Section>
      <Section name="pdbPrice">
        <BackupFields
          prices={values.pdbPrice}
          oldValues={changes.backup}
          problemTexts={problemTexts.fields}
          dispatch={dispatch}
        />
      </Section>
    </>
  )
}

function Section({ name, help, children }: { name: EditorSection; help?: string; children: ReactNode }) {
  const { t } = useTranslation('prices')
  return (
    <section className="price-section">
      <h2 id={getHeadingId(name)} tabIndex={-1}>
        {t(`section.${name}`)}
      </h2>
      {help && <p className="field-help">{help}</p>}
      {children}
    </section>
  )
}
