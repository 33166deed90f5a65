from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("filings", "0001_initial"),
    ]

    operations = [
        migrations.AlterField(
            model_name="fact",
            name="how_read",
            field=models.CharField(
                choices=[
                    ("xbrl", "Inline XBRL"),
                    ("html_table", "Table of an HTML page"),
                    ("pdf_table", "Table of a PDF page"),
                    ("ocr", "Table of a scanned page (OCR)"),
                    ("other_table", "Table of another file"),
                ],
                max_length=16,
            ),
        ),
    ]
