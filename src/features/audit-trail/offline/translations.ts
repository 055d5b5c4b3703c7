/** The words of what is kept on the device and proven there come with its code. */
import en from '#locales/en/storedTrail.json'
import zh from '#locales/zh/storedTrail.json'
import { addMessages } from '#ui/i18n/messages.ts'

addMessages('storedTrail', { en, zh })
