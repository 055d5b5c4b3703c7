import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import type { ConflictChoice, ConflictField } from '#features/outbox/conflict-fields.ts'
import type { ChangeLines } from '#features/outbox/change-lines.ts'

interface Props {
  lines: ChangeLines
  fields: ConflictField[]
  selections: Readonly<Record<string, ConflictChoice>>
  onChoose: (field: string, choice: ConflictChoice) => void
}

const choices = ['mine', 'theirs'] as const

/** Shows a row for each field that both sides changed. Native radio buttons, so arrow keys and Tab work as usual. */
export function ConflictChoices({ lines, fields, selections, onChoose }: Props) {
  const { t } = useTranslation('outbox')
  return (
    <div className="choices">
      {/* Hidden from screen readers, because it is part of the label of every choice. */}
      <div className="choices-head" aria-hidden="true">
        <span>{t('compare.field')}</span>
        <span>{t('compare.was')}</span>
        <span>{t('compare.mine')}</span>
        <span>{t('compare.theirs')}</span>
      </div>
      {fields.map((conflictField) => (
        <ChoiceRow
          key={conflictField.field}
          lines={lines}
          conflictField={conflictField}
          selection={selections[conflictField.field]}
          onChoose={onChoose}
        />
      ))}
    </div>
  )
}

interface ChoiceRowProps extends Pick<Props, 'lines' | 'onChoose'> {
  conflictField: ConflictField
  selection: ConflictChoice | undefined
}

function ChoiceRow({ lines, conflictField, selection, onChoose }: ChoiceRowProps) {
  const { t } = useTranslation('outbox')
  const name = useId()
  const { field } = conflictField
  const texts = lines.formatSides(conflictField)
  return (
    <fieldset className="choice">
      <legend className="sr-only">{lines.formatLabel(field)}</legend>
      <span className="choice-field" aria-hidden="true">
        {lines.formatLabel(field)}
      </span>
      <span className="choice-was">
        <span className="choice-side">{t('compare.was')}</span>
        <TextLines texts={texts.was.length === 0 ? ['–'] : texts.was} />
      </span>
      {choices.map((choice) => (
        <label key={choice} className="radio">
          <input
            type="radio"
            name={name}
            value={choice}
            checked={selection === choice}
            onChange={() => onChoose(field, choice)}
          />
          <span>
            <span className="choice-side">{t(`compare.${choice}`)}</span>
            <span className="choice-value">
              <TextLines texts={texts[choice]} />
            </span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}

const TextLines = ({ texts }: { texts: readonly string[] }) =>
  texts.map((text) => (
    <span key={text} className="choice-line">
      {text}
    </span>
  ))
