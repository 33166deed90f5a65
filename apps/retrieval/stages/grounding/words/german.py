"""German words of business prose that say the same; one group a line, each word in one group (english.py)."""

from __future__ import annotations

from typing import Final

SAME: Final = """
kaufen kauf kaufte gekauft erwerben erwarb erworben erwerb übernahme übernehmen
verkaufen verkauf verkaufte verkauft veräußern veräußert veräußerung abgeben
leiten leitet leitete leitung geleitet führen führt führung
nachfolger nachfolge nachfolgen folgte ablösen
verlassen verließ ausscheiden ausgeschieden
ernennen ernannt bestellen bestellt berufen gewählt
beginnen begann begonnen beginn starten start
beenden beendet ende enden endet auslaufen
abschließen abgeschlossen abschluss
schließen schloss geschlossen schließung
öffnen eröffnen eröffnet eröffnung
dürfen darf erlauben erlaubt gestatten gestattet zulässig zulassen können kann möglich
müssen muss verpflichten verpflichtet pflicht erforderlich notwendig erfordern verlangen verlangt
untersagen untersagt verbieten verboten unzulässig
begrenzen begrenzt begrenzung beschränken beschränkt obergrenze grenze höchstens maximal maximum
mindestens minimum wenigstens
erwarten erwartet rechnen rechnet gerechnet prognose prognostizieren voraussichtlich
planen plant geplant
unterstellen unterstellt voraussetzen vorausgesetzt annehmen annahme angenommen
vorschlagen vorgeschlagen vorschlag schlägt schlagen dividendenvorschlag
bestätigen bestätigt
beschließen beschlossen beschluss
wollen will ziel ziele zielt anstreben angestrebt sollen soll
halbieren hälfte halbiert
steigen stieg zulegte kletterte gestiegen erhöhen erhöht erhöhung anstieg zunehmen zugenommen zunahme wachsen wuchs \
gewachsen wachstum höher zulegen
sinken sank gesunken fallen fiel gefallen zurückgehen zurückging zurückgegangen rückgang verringern verringert \
abnehmen abgenommen abnahmen abnahm niedriger geringer zurück senken gesenkt reduzieren reduziert rückläufig
verbessern verbessert verbesserung besser
verschlechtern verschlechtert
belasten belastet belastung
profitieren profitiert positiv
unverändert stabil konstant gleich
verschieben verschoben verzögern verzögert
einführen eingeführt erheben erhoben
grund ursache wegen weil infolge aufgrund zurückführen zurückzuführen führte
vor allem hauptsächlich überwiegend insbesondere vorwiegend
seltener weniger
häufig oft häufiger
kunde kunden kundschaft
mitarbeiter mitarbeiterinnen beschäftigte beschäftigten arbeitnehmer personal belegschaft
beschäftigen beschäftigt
aktionär aktionäre anteilseigner
abschlussprüfer prüfer konzernabschlussprüfer wirtschaftsprüfer wirtschaftsprüfungsgesellschaft
prüfen geprüft prüfung
verantwortlich verantwortliche zuständig
werk fabrik standort produktionsstätte
hersteller produzent herstellung
liefern lieferung geliefert
bestellung auftrag aufträge
lager vorräte bestand bestände
abbauen abbau
aufbauen aufbau
kosten aufwand aufwendungen aufwendung
ausgabe ausgaben
zahlen gezahlt zahlung auszahlung
ausschütten ausschüttung ausgeschüttet
einstellen eingestellt
entwickeln entwicklung entwickelt
umfassen umfasst enthalten enthält beinhalten bestehen besteht
betragen betrug beträgt belaufen belief liegen lag liegt
verhältnis quotient
durchschnitt mittel durchschnittlich
jahresdurchschnitt jahresmittel
notieren notiert
bank institut
firma unternehmen gesellschaft konzern
neu neue neuen
groß größer größte
klein kleiner kleinste
früh früher frühestens
spät später spätestens
etwa rund circa ungefähr knapp
insolvenz zahlungsunfähigkeit
vereinbaren vereinbarung vertrag vereinbart vertraglich
kündigen kündigung
melden meldung anzeigen anzeige
informieren unterrichten
überwachen überwachung
niederlassung filiale
wechseln wechsel wechselte ging
erhalten erhielt bekommen
halten hielt gehalten
nutzen nutzung verwenden verwendung
"""
FILLING: Final = """
dann vorerst wohl weiterhin sämtliche wohingegen dank erforderlich verpflichtet vorausgesetzt außer
voraus anderen andere anderer negativ positiv erzielt erzielte erzielten abgeleitet abgeleitete ausreichen ausreicht
zentrale zentralen vorgänger genannten laufzeit ding sache fall fälle art weise teil teile rahmen hinblick bezug
grundlage dabei dazu davon daran darauf daraus deshalb daher dadurch hierbei hierfür somit folglich allerdings jedoch
hingegen dagegen zudem außerdem darüber hinaus insbesondere etwa jeweils bereits noch schon nun damals seither ferner
sowie beziehungsweise sagt sagte nennt nannte schreibt berichtet gibt angabe angaben laut gemäß zufolge erklärt
begründet begründung unternehmen gesellschaft konzern bank institut gruppe firma lauten lautet ergibt ergeben zeigt
zeigen steht stehen kommt kommen kam macht machen gab gegeben gehen geht genannt genannte rechnerisch tätig passt
entspricht gemessen frau herr jahr jahre jahren monat monate quartal zeit zeitraum man zwei drei vier fünf sechs eins
seit beim nachdem ihr ihre ihren ihrer ihrem ihres sein seine seinen seiner seinem selbst zuvor zusätzlich vorher
vorab gilt gelten galt statt anstatt blieb bleiben bleibt geblieben zusammen nämlich sofern soweit zwar sobald obwohl
worden während hintereinander absolut bisher bislang derzeit derzeitig aktuell gegenwärtig heute ab bis pro je sowohl
errechnet errechnen spanne bandbreite vorjahreszeitraum vorjahr vorjahres jahresende stichtag periode berichtsjahr
können kann könnte müssen muss musste sollen soll sollte dürfen darf wollen will würde würden hätte wäre geben gehören
gehört aufgabe aufgaben bedarf bedürfen stellung stellen stellt nehmen nimmt genommen ging gingen trotz sonst
ebenfalls ebenso gleichfalls hierzu dieser diese dieses jene welche welcher alle allen aller beide beiden einige
mehrere jede jeder jedes jeden jeweilige jeweiligen sonstige übrige übrigen plus minus abzüglich zuzüglich inklusive
exklusive einschließlich hiervon summe saldo beträge werte anteil anteile bzw ca usw etc wesentlichen grundsätzlich
generell regelmäßig üblicherweise meist ausschlaggebend maßgeblich entscheidend zurückzuführen leicht deutlich stark
kräftig spürbar nahezu knapp gut rund fast hat haben habe gehabt sei seien sind war waren wurde wurden werden
entfallen entfällt betrifft betreffen hinzu zurück reach reached
"""
PHRASES: Final = (
    ("sinken", r"g(?:ing|eht|ehen|ingen)\b(?=[^.;]*\bzur\u00fcck\b)"),
    ("abbauen", r"bau(?:te|ten|t|en)\b(?=[^.;]*\bab\b)"),
    ("vorschlagen", r"schl(?:\u00e4gt|agen|ug|ugen)\b(?=[^.;]*\bvor\b)"),
)
