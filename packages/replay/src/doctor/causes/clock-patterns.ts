const englishMonths =
  "Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sep(?:t(?:ember)?)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?";
const otherMonths = [
  "Januar|Jänner|Februar|März|Mai|Juni|Juli|Oktober|Dezember",
  "janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre",
  "enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre",
  "gennaio|febbraio|aprile|maggio|giugno|luglio|settembre|ottobre|dicembre",
  "janeiro|fevereiro|março|maio|junho|julho|setembro|outubro|novembro|dezembro",
  "januari|februari|maart|april|mei|juni|juli|augustus|september|oktober|november|december",
  "stycznia|lutego|marca|kwietnia|maja|czerwca|lipca|sierpnia|września|października|listopada|grudnia",
  "января|февраля|марта|апреля|мая|июня|июля|августа|сентября|октября|ноября|декабря",
].join("|");
const months = `(?:${englishMonths}|${otherMonths})(?!\\p{L})`;

const englishDays =
  "Mon(?:day)?|Tue(?:s(?:day)?)?|Wed(?:nesday)?|Thu(?:rs(?:day)?)?|Fri(?:day)?|Sat(?:urday)?|Sun(?:day)?";
const otherDays = [
  "Montag|Dienstag|Mittwoch|Donnerstag|Freitag|Samstag|Sonnabend|Sonntag",
  "lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche",
  "lunes|martes|miércoles|jueves|viernes|sábado|domingo",
  "lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica",
  "(?:segunda|terça|quarta|quinta|sexta)-feira",
  "maandag|dinsdag|woensdag|donderdag|vrijdag|zaterdag|zondag",
  "poniedziałek|wtorek|środa|czwartek|piątek|sobota|niedziela",
  "понедельник|вторник|среда|четверг|пятница|суббота|воскресенье",
].join("|");
const days = `(?:${englishDays}|${otherDays})(?!\\p{L})`;

const units =
  "(?:milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d|weeks?|w|months?|years?)";
const some =
  "(?:\\d{1,6}(?:\\.\\d{1,3})?|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)";
const start = "(?<![\\p{L}\\d])";
const end = "(?![\\p{L}\\d])";

/** A day of the week, in the commonest languages. */
const weekday = new RegExp(`${start}${days}|[月火水木金土日]曜日?|(?:星期|周)[一二三四五六日天]`, "gu");

/** How long ago something was: 5 minutes ago, an hour ago. */
const age = new RegExp(`${start}${some} ?${units} ago${end}`, "gu");

/** What a text without a digit may have of a clock. */
export const wordPatterns: readonly RegExp[] = [weekday, age];

/**
 * Dates, times and ages as prompts have them. Each looks at a bounded piece of text from any place, so that they are
 * linear; a version, an address or a place in a file is none.
 */
export const clockPatterns: readonly RegExp[] = [
  // 2026-11-30, 2026/11/30, with or without a time; 20261130T030100Z
  /\d{4}([-/.])\d{1,2}\1\d{1,2}(?:[T ]\d{2}:\d{2}(?::\d{2})?(?:[.,]\d{1,9})?)?(?: ?Z| ?[+-]\d{2}:?\d{2})?/g,
  /\b20\d{2}(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])(?:T?\d{4}(?:\d{2})?(?:\.\d{1,9})?Z?)?\b/g,
  // 2026-W48, week 48, Q4 2026
  /\b\d{4}-?W\d{2}(?:-?\d)?\b/g,
  /\b(?:[Ww]eek|KW|Kalenderwoche|semaine|semana) \d{1,2}\b/g,
  /\bQ[1-4][ /]\d{4}\b/g,
  // 3:01, 03:01:09.123 PM; not the line and column of a file
  /(?<!\d|\.\w{1,5}:)(?:[01]?\d|2[0-4]):[0-5]\d(?::[0-5]\d)?(?:[.,]\d{1,9})?(?: ?[AaPp]\.?[Mm]\b)?/g,
  // 3 PM, 3pm, 3 o'clock, 15 Uhr, 03h01, 3時
  /(?<![\d.:])\d{1,2}(?:[.:]\d{2})? ?(?:[AaPp]\.?[Mm]\b|o['’]clock|Uhr\b)/g,
  /(?<![\d.:])(?:[01]?\d|2[0-4]) ?[hH] ?[0-5]\d\b/g,
  /\d{1,2} ?[時时点시](?: ?\d{1,2} ?[分분])?/g,
  // 11/30/2026, 30.11.2026, 30.11.26
  /(?<![\d/])\d{1,2}\/\d{1,2}\/\d{2,4}(?![\d/])/g,
  /(?<![\d.vV])(?:\d{1,2}\. ?\d{1,2}\. ?\d{4}|\d{2}\.\d{2}\.\d{2})(?![\d.])/g,
  // November 30th, 2026; 30. November 2026; 30 de noviembre de 2026; November 2026
  new RegExp(
    `(?:${start}${days},? {1,2})?${start}${months}\\.? {1,2}\\d{1,2}(?:st|nd|rd|th)?${end}(?:,? {1,2}\\d{4})?`,
    "gu",
  ),
  new RegExp(
    `(?:${start}${days},? {1,2})?${start}\\d{1,2}(?:\\.|er|º|st|nd|rd|th)? {1,2}(?:de |of )?${months}\\.?(?:,? {1,2}(?:de )?\\d{4}${end})?`,
    "gu",
  ),
  new RegExp(`${start}${months}\\.?,? {1,2}(?:de )?\\d{4}${end}`, "gu"),
  /\d{4}[年년] ?\d{1,2}[月월](?: ?\d{1,2}[日일])?/g,
  weekday,
  // seconds, milliseconds or microseconds since 1970
  /\b1[5-9]\d{8}(?:\d{3}|\d{6})?(?:\.\d{1,6})?\b/g,
  // the year is 2026
  /\b(?:[Yy]ear|année|Jahr|año)(?: is|:)? {1,2}(?:19|20)\d{2}\b/g,
  // 5 minutes ago, an hour ago, vor 5 Minuten, il y a 5 minutes, hace 5 minutos, 5分前
  age,
  /\b(?:vor|il y a|hace|há) (?:\d{1,6}|une?|einer?|eine[mr]|una?) \p{L}{3,12}/gu,
  /\d{1,6} ?(?:秒|分|分钟|小时|時間|天|日)前/g,
  // uptime 3 days 4 hours, elapsed 12.5s
  new RegExp(`${start}(?:\\d{1,6} ?${units}(?:,| and)? ?){2,4}${end}`, "gu"),
  new RegExp(
    `${start}(?:[Uu]ptime|[Ee]lapsed|[Ii]dle|[Aa]ge|[Rr]unning)(?: for| time| is)?:? {1,2}\\d{1,9}(?:\\.\\d{1,3})?(?: ?${units})?${end}`,
    "gu",
  ),
];
