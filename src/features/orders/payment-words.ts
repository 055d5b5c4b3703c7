/** The words of paying come with its code. */
import en from '#locales/en/payment.json'
import zh from '#locales/zh/payment.json'
import { addTexts } from '#ui/texts.ts'

addTexts('en', 'payment', en)
addTexts('zh', 'payment', zh)
