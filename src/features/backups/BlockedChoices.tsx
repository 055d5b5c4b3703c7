import { useId } from 'react'

interface BlockedChoicesProps<V extends string | number> {
  label: string
  name: string
  /** `disabledReason`: reason why a choice cannot be selected, shown inside the choice; null if it can. */
  choices: readonly { value: V; label: string; disabledReason: string | null }[]
  selectedValue: V | null
  onSelect: (value: V) => void
}

export function BlockedChoices<V extends string | number>({
  label,
  name,
  choices,
  selectedValue,
  onSelect,
}: BlockedChoicesProps<V>) {
  const id = useId()
  return (
    <fieldset className="radios backup-choices">
      <legend>{label}</legend>
      <div className="radio-row">
        {choices.map(({ value, label: choiceLabel, disabledReason }) => (
          <label key={value} className={`radio${disabledReason ? ' blocked' : ''}`}>
            <input
              type="radio"
              name={name}
              value={value}
              checked={value === selectedValue}
              disabled={disabledReason !== null}
              aria-describedby={disabledReason ? `${id}-${value}` : undefined}
              onChange={() => onSelect(value)}
            />
            <span>
              {choiceLabel}
              {disabledReason && (
                <span className="field-help" id={`${id}-${value}`}>
                  {disabledReason}
                </span>
              )}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
