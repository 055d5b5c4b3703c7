import { Fragment, type KeyboardEvent, type Ref, useEffect, useId, useState } from 'react'
import { FieldFrame, type LabelledFieldProps } from '#ui/form/Field.tsx'
import { getNameLang } from '#ui/i18n/name-language.ts'

export interface ComboboxChoice {
  id: number
  label: string
  detail?: string
  /** Heading above the first choice of a group. */
  group?: string
}

interface Props extends Omit<LabelledFieldProps, 'lockReason'> {
  name: string
  value: string
  placeholder?: string | undefined
  choices: readonly ComboboxChoice[]
  /** A note about the choices: there are no matches, or the list is incomplete. */
  note: string | null
  /** Offers all choices when the field gets the focus or is clicked, not only when the user types. */
  opensOnFocus?: boolean
  /** Called when the list opens. */
  onOpen?: () => void
  onSearch: (text: string) => void
  /** Null removes the selection. */
  onChoose: (id: number | null) => void
  ref?: Ref<HTMLInputElement>
}

/** Returns the index of the next active choice. Wraps around at both ends. -1 means that no choice is active. */
const moveIndex = (index: number, delta: number, count: number): number =>
  index < 0 && delta < 0 ? count - 1 : (index + delta + count) % count

/**
 * Offers matches while the user types. Arrows, Enter and Escape work as usual for a combobox. Screen readers announce the active option,
 * which PrimeReact's AutoComplete does not do (docs/decisions/0045). An empty field selects nothing.
 */
export function Combobox({
  name,
  value,
  placeholder,
  choices,
  note,
  opensOnFocus = false,
  onOpen,
  onSearch,
  onChoose,
  ref,
  ...frameProps
}: Props) {
  const listId = useId()
  const [isOpen, setIsOpen] = useState(false)
  // Text that the user has typed. Null if nothing is typed; then the selection is displayed.
  const [typedText, setTypedText] = useState<string | null>(null)
  const [activeIndex, setActiveIndex] = useState(-1)
  const activeChoice = isOpen ? choices[activeIndex] : undefined
  const activeId = activeChoice && `${listId}-${activeChoice.id}`
  useEffect(() => {
    // `scrollIntoView` is missing in the DOM of the tests.
    if (activeId) document.getElementById(activeId)?.scrollIntoView?.({ block: 'nearest' })
  }, [activeId])
  const search = (text: string) => {
    if (!isOpen) onOpen?.()
    setIsOpen(true)
    // An empty field selects nothing, not the first choice.
    setActiveIndex(text.trim() === '' ? -1 : 0)
    onSearch(text)
  }
  const close = () => {
    setIsOpen(false)
    setTypedText(null)
  }
  const choose = ({ id }: ComboboxChoice) => {
    close()
    onChoose(id)
  }
  const handleBlur = () => {
    if (typedText?.trim() === '' && value !== '') onChoose(null)
    close()
  }
  const moveActive = (delta: number) => {
    if (!isOpen) return search('')
    if (choices.length > 0) setActiveIndex((current) => moveIndex(current, delta, choices.length))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'ArrowDown') moveActive(1)
    else if (event.key === 'ArrowUp') moveActive(-1)
    else if (event.key === 'Enter' && isOpen) {
      if (activeChoice) choose(activeChoice)
      else handleBlur()
    } else if (event.key === 'Escape' && isOpen) {
      event.stopPropagation()
      close()
    } else return
    event.preventDefault()
  }
  return (
    <FieldFrame {...frameProps}>
      {(controlProps) => (
        <div className="combobox">
          <input
            {...controlProps}
            ref={ref}
            className="input"
            type="text"
            name={name}
            role="combobox"
            aria-autocomplete="list"
            aria-expanded={isOpen && choices.length > 0}
            aria-controls={listId}
            aria-activedescendant={activeId}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            value={typedText ?? value}
            placeholder={placeholder}
            onFocus={({ target }) => {
              target.select()
              if (opensOnFocus) search('')
            }}
            // A click on the field that has the focus opens the list again, for example after Escape.
            onClick={() => opensOnFocus && !isOpen && search(typedText ?? '')}
            onChange={({ target }) => {
              setTypedText(target.value)
              search(target.value)
            }}
            onKeyDown={onKeyDown}
            onBlur={handleBlur}
          />
          <ChoiceList {...{ listId, label: frameProps.label, isOpen, choices, activeIndex, note }} onChoose={choose} />
        </div>
      )}
    </FieldFrame>
  )
}

interface ChoiceListProps extends Pick<Props, 'choices' | 'note' | 'label'> {
  listId: string
  isOpen: boolean
  activeIndex: number
  onChoose: (choice: ComboboxChoice) => void
}

const ChoiceList = ({ listId, label, isOpen, choices, activeIndex, note, onChoose }: ChoiceListProps) => (
  <div className="combobox-list" hidden={!isOpen || (choices.length === 0 && note === null)}>
    <div role="listbox" id={listId} aria-label={label} hidden={choices.length === 0}>
      {isOpen &&
        choices.map((choice, index) => (
          <Fragment key={choice.id}>
            {choice.group !== undefined && choice.group !== choices[index - 1]?.group && (
              <div role="presentation" className="combobox-group">
                {choice.group}
              </div>
            )}
            {/* biome-ignore lint: the keys are the field's, which keeps the focus */}
            <div
              id={`${listId}-${choice.id}`}
              role="option"
              aria-selected={index === activeIndex}
              className="combobox-option"
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => onChoose(choice)}
            >
              <span lang={getNameLang(choice.label)}>{choice.label}</span>{' '}
              {choice.detail && <span className="combobox-detail">{choice.detail}</span>}
            </div>
          </Fragment>
        ))}
    </div>
    <p className="combobox-note" role="status">
      {isOpen && note}
    </p>
  </div>
)
