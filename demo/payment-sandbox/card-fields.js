/**
 * Runs in the frame with the card fields. It checks what is typed, makes a token of it, and tells the page no more than that token:
 * the page and its worker never see a card number.
 */
const settings = JSON.parse(document.body.dataset.settings)
const { shop, nonce, errors } = settings

const fieldOf = (name) => document.getElementById(name)
const digitsOf = (text) => text.normalize('NFKC').replace(/\D/g, '')
const send = (message) => parent.postMessage({ cardFields: nonce, ...message }, shop)

const formats = {
  number: (text) =>
    digitsOf(text)
      .slice(0, 19)
      .replace(/(\d{4})(?=\d)/g, '$1 '),
  expiry(text) {
    const plain = text.normalize('NFKC')
    // "5" can only be May, and "1/" only January.
    const digits = digitsOf(/^\s*([2-9]|\d\s*\/)/.test(plain) ? `0${plain}` : plain)
    // A year of four digits, pasted or filled in.
    const short = /^\d{2}20\d{2}$/.test(digits) ? digits.slice(0, 2) + digits.slice(4) : digits.slice(0, 4)
    return short.length > 2 ? `${short.slice(0, 2)} / ${short.slice(2)}` : short
  },
  cvc: (text) => digitsOf(text).slice(0, 4),
}
const names = Object.keys(formats)

/** From the right every second digit counts double. */
const passesLuhn = (number) =>
  [...number].reverse().reduce((sum, digit, index) => {
    const value = digit * (index % 2 === 1 ? 2 : 1)
    return sum + (value > 9 ? value - 9 : value)
  }, 0) %
    10 ===
  0

const checks = {
  number(number) {
    if (number.length < 13) return 'number-short'
    if (!passesLuhn(number)) return number.length < 16 ? 'number-short' : 'number-wrong'
    return settings.numbers.includes(number) ? null : 'number-real'
  },
  expiry(digits) {
    if (digits.length < 4) return 'expiry-short'
    const [month, year] = [digits.slice(0, 2), digits.slice(2)]
    if (month < '01' || month > '12') return 'expiry-wrong'
    return `20${year}-${month}` < settings.earliestExpiry ? 'expiry-past' : null
  },
  cvc: (digits) => (digits.length === 3 ? null : 'cvc-short'),
}
const findError = (name) => checks[name](digitsOf(fieldOf(name).value))

function showError(name, word) {
  const line = fieldOf(`${name}-error`)
  line.textContent = word === null ? '' : errors[word]
  line.hidden = word === null
  fieldOf(name).setAttribute('aria-invalid', String(word !== null))
}

/** Keeps the caret behind the same digit. */
function format(name) {
  const input = fieldOf(name)
  const before = digitsOf(input.value.slice(0, input.selectionStart)).length
  const isAtEnd = input.selectionStart === input.value.length
  const formatted = formats[name](input.value)
  if (formatted === input.value) return
  input.value = formatted
  if (isAtEnd) return
  let at = 0
  for (let digits = 0; digits < before && at < formatted.length; at++) if (/\d/.test(formatted[at])) digits++
  input.setSelectionRange(at, at)
}

function onTyped(name) {
  format(name)
  showError(name, null)
  send({ kind: 'changed' })
}

for (const name of names) {
  const input = fieldOf(name)
  input.addEventListener('input', (event) => event.isComposing || onTyped(name))
  input.addEventListener('compositionend', () => onTyped(name))
  input.addEventListener('blur', () => input.value && showError(name, findError(name)))
}
for (const button of document.querySelectorAll('button[data-number]'))
  button.addEventListener('click', () => {
    const filled = {
      number: button.dataset.number,
      expiry: `12${Number(settings.earliestExpiry.slice(2, 4)) + 2}`,
      cvc: '123',
    }
    for (const name of names) {
      fieldOf(name).value = filled[name]
      onTyped(name)
    }
    document.querySelector('details').open = false
    fieldOf('number').focus()
  })

/** By the parameter that the gateway names. */
const refusals = {
  number: ['number', 'number-wrong'],
  exp_month: ['expiry', 'expiry-wrong'],
  exp_year: ['expiry', 'expiry-past'],
  cvc: ['cvc', 'cvc-short'],
}

/** What is wrong stands at its field. */
async function createToken() {
  for (const name of names) format(name)
  for (const name of names) showError(name, findError(name))
  const firstWrong = names.find((name) => findError(name) !== null)
  if (firstWrong) {
    fieldOf(firstWrong).focus()
    return { kind: 'invalid' }
  }
  const expiry = digitsOf(fieldOf('expiry').value)
  const body = new URLSearchParams({
    key: settings.key,
    'card[number]': digitsOf(fieldOf('number').value),
    'card[exp_month]': expiry.slice(0, 2),
    'card[exp_year]': expiry.slice(2),
    'card[cvc]': fieldOf('cvc').value,
  })
  const options = { method: 'POST', body, credentials: 'omit', signal: AbortSignal.timeout(15_000) }
  try {
    const response = await fetch('/v1/tokens', options)
    const { id, error } = await response.json()
    if (response.ok) return { kind: 'token', token: id }
    const [name, word] = refusals[error.param] ?? []
    if (name) showError(name, word)
    return { kind: error.type === 'card_error' ? 'invalid' : 'failed' }
  } catch {
    return { kind: 'failed' }
  }
}

/** In the page's own colours and type. */
function applyLooks({ scheme, fontSize, values }) {
  const { style } = document.documentElement
  style.colorScheme = scheme
  style.fontSize = fontSize
  for (const [name, value] of Object.entries(values)) style.setProperty(name, value)
  sendHeight()
}

const sendHeight = () => send({ kind: 'height', height: document.documentElement.offsetHeight })

addEventListener('message', (event) => {
  const { data } = event
  if (event.source !== parent || event.origin !== shop || data?.cardFields !== nonce) return
  if (data.kind === 'looks') applyLooks(data)
  if (data.kind === 'create') void createToken().then((result) => send({ ...result, request: data.request }))
})
// Browsers draw no frame that is out of sight, and then nothing is observed: the first height is sent without being asked.
new ResizeObserver(sendHeight).observe(document.documentElement)
send({ kind: 'ready' })
sendHeight()
