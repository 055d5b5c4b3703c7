/** Messages of the price list pages. They are loaded with the pages, which only the provider's staff have. */
import en from '#locales/en/prices.json'
import zh from '#locales/zh/prices.json'
import { addMessages } from '#ui/i18n/messages.ts'

addMessages('prices', { en, zh })
