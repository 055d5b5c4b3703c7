import type { ReactNode } from 'react'
import type { ModuleRow } from '#contract/modules.ts'
import type { ClientType } from '#domain/access.ts'
import { useTranslation } from 'react-i18next'
import { BackupFields } from '#features/prices/editor/BackupFields.tsx'
import type { PriceFormAction } from '#features/prices/editor/form-reducer.ts'
import { HeaderFields } from '#features/prices/editor/HeaderFields.tsx'
import { ModuleRows } from '#features/prices/editor/ModuleRows.tsx'
import type { EditorState } from '#features/prices/editor/PriceListNotes.tsx'
import { TierTable } from '#features/prices/editor/TierTable.tsx'
import type { usePriceForm } from '#features/prices/editor/usePriceForm.ts'
import type { FaultNotes } from '#features/prices/faults/list-faults.ts'
import { type PriceListValues, tierTables } from '#features/prices/price-list-form.ts'

interface Props {
  type: ClientType
  state: EditorState
  values: PriceListValues
  problemTexts: ReturnType<typeof usePriceForm>['problemTexts']
  notes: FaultNotes
  modules: readonly ModuleRow[]
  namesByCode: ReadonlyMap<string, string>
  dispatch: (action: PriceFormAction) => void
}

export function PriceListFields({ type, state, values, problemTexts, notes, modules, namesByCode, dispatch }: Props) {
  const { t } = useTranslation('prices')
  const isLocked = state !== 'unconfirmed'
  return (
    <>
      <Section title={t('section.header')}>
        <HeaderFields
          {...{ isLocked, dispatch }}
          isDescLocked={state === 'withdrawn'}
          header={values.header}
          problemTexts={problemTexts.fields}
          notes={notes.header}
        />
      </Section>
      {tierTables.map((name) => (
        <Section key={name} title={t(`section.${name}`)} help={t('help.tiers')}>
          <TierTable
            {...{ name, isLocked, dispatch }}
            rows={values[name]}
            problemTexts={problemTexts.rows}
            note={notes[name]}
          />
        </Section>
      ))}
      <Section title={t('section.module')} help={t('help.modules')}>
        <ModuleRows
          {...{ type, isLocked, modules, namesByCode, dispatch }}
          rows={values.module}
          problemTexts={problemTexts.rows}
          notesByKey={notes.moduleNotes}
        />
      </Section>
      <Section title={t('section.pdbPrice')}>
        <BackupFields {...{ isLocked, dispatch }} prices={values.pdbPrice} problemTexts={problemTexts.fields} />
      </Section>
    </>
  )
}

function Section({ title, help, children }: { title: string; help?: string; children: ReactNode }) {
  return (
    <section className="price-section">
      <h2>{title}</h2>
      {help && <p className="field-help">{help}</p>}
      {children}
    </section>
  )
}
